/** Growing markdown gives what reading it at once gives, and its cost follows what is new. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, GrowingMarkdown } from "./blocks.ts";

const piece = fc.constantFrom(
  "word ",
  "\n",
  "\n\n",
  "# Title\n",
  "- item\n",
  "  nested\n",
  "1. one\n",
  "```py\n",
  "```\n",
  "~~~\n",
  "> quote\n",
  "| a | b |\n",
  "|---|---|\n",
  "| 1 | 2 |\n",
  "**bold**",
  "`code`",
  "[link](https://example.org)",
  "---\n",
  "<b>html</b>",
  "    indented\n",
  "$x$ ",
  "* ",
);

function plain(blocks: readonly Block[]): unknown {
  return blocks.map((block) =>
    block.kind === "code" ? block : block.tokens.map((token) => token.raw.trim()),
  );
}

test("read piece by piece or at once, the blocks are the same", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const growing = new GrowingMarkdown();
      let text = "";
      for (const next of pieces) {
        text += next;
        growing.read(text, true);
      }
      expect(plain(growing.read(text))).toEqual(plain(new GrowingMarkdown().read(text)));
    }),
    { numRuns: 1500 },
  );
});

test("blocks that are settled stay the same objects", () => {
  const growing = new GrowingMarkdown();
  const before = growing.read("# One\n\nTwo\n\nThree\n\nFour\n\nFi");
  const after = growing.read("# One\n\nTwo\n\nThree\n\nFour\n\nFive\n\nSix\n\nSeven");
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
});

/** Milliseconds for one more line of a code block that has so many already: the best of many, which other work cannot slow. */
function costOfALine(lines: number): number {
  const growing = new GrowingMarkdown();
  let text = "```ts\n";
  for (let line = 0; line < lines; line++) text += `const value${line} = ${line};\n`;
  growing.read(text);
  let best = Number.POSITIVE_INFINITY;
  for (let line = 0; line < 200; line++) {
    const next = `${text}more(${line});\n`;
    const started = performance.now();
    growing.read(next);
    best = Math.min(best, performance.now() - started);
    text = next;
  }
  return best;
}

test("a line at the end of a code block of 10,000 costs less than a millisecond", () => {
  expect(costOfALine(10_000)).toBeLessThan(1);
});

test("an end mark on the last line closes the block", () => {
  expect(new GrowingMarkdown().read("```py\nx = 1\n```")).toEqual([
    { key: 0, kind: "code", lang: "py", code: "x = 1", closed: true },
  ]);
});
