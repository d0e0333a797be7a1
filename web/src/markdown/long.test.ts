/** One more word costs the same at the end of a long block as of a short one, and changes nothing of what is shown. */

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { GrowingMarkdown } from "./blocks.ts";
import { Markdown, shownBlocks } from "./Markdown.tsx";

const ITEMS = Array.from({ length: 3_000 }, (_, at) => at + 1);
const KINDS: [string, string][] = [
  [
    "paragraph",
    ITEMS.map((at) => `Sentence ${at} has **bold** words, a \`span\` and snake_case for $5.`).join(" "),
  ],
  ["list", ITEMS.map((at) => `- item **${at}** with \`code\``).join("\n")],
  ["numbered list", ITEMS.map((at) => `${at}. item with *emphasis*\n   - nested`).join("\n")],
  ["table", `| a | b |\n|---|---|\n${ITEMS.map((at) => `| ${at} | **x** |`).join("\n")}`],
];

/** Milliseconds of the best of many more words: what else the machine does can only make it slower. */
function costOfAWord(text: string): number {
  const growing = new GrowingMarkdown();
  growing.read(text, true);
  let whole = text;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    whole += " more";
    const started = performance.now();
    growing.read(whole, true);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

test.each(KINDS)("a word at the end of a long %s costs less than a millisecond", (_kind, text) => {
  expect(costOfAWord(text)).toBeLessThan(1);
});

test.each(KINDS)("a long %s that arrives in parts looks as if read at once", (_kind, text) => {
  const whole = `Before.\n\n${text.slice(0, 12_000)}\n\nAfter.\n\nEnd.`;
  const growing = new GrowingMarkdown();
  for (let at = 0; at < whole.length; at += 37) growing.read(whole.slice(0, at), true);
  const parts = renderToStaticMarkup(
    createElement("div", { className: "markdown" }, shownBlocks(growing.read(whole))),
  );
  const once = renderToStaticMarkup(createElement(Markdown, { text: whole }));
  expect(parts).toBe(once);
});
