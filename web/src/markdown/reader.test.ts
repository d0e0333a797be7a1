/** What is a formula, and what only has dollar signs in it. */

import type { Token } from "marked";
import { expect, test } from "vitest";
import { lex } from "./reader.ts";

/** The formulas of a text, in order. */
function formulas(text: string): string[] {
  const found: string[] = [];
  const walk = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (token.type === "math") found.push((token as unknown as { tex: string }).tex);
      else if ("tokens" in token && token.tokens) walk(token.tokens);
    }
  };
  walk(lex(text));
  return found;
}

test.each([
  "Set $HOME first, then run `echo $PATH`.",
  "Between $5, or `10$` at most.",
  "It costs US$5 and CA$6$.",
  "It is 5$/6$ a month.",
  "Pay $5 (or 10$) a month.",
  "Pay $5 and then up to 10$.",
  "Use $HOME/bin:$PATH there.",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is shell.
  "Use ${HOME}/${USER} or $(pwd):$(id) there.",
  "$HOME is set by the shell, never by you$",
  "$$ is the process and $$",
  "$$ is the process of the shell\n\nand `x` ends it $$",
  "Prices: $1,000/$2,000.",
])("no formula in %j", (text) => {
  expect(formulas(text)).toEqual([]);
});

test.each([
  ["The sum $a + b$ is even.", ["a + b"]],
  ["For $x$, $y$ and $z_1$.", ["x", "y", "z_1"]],
  ["So ($n^2$) is $5$.", ["n^2", "5"]],
  ["$2 \\sin x$ and $3 \\text{ apples and pears}$", ["2 \\sin x", "3 \\text{ apples and pears}"]],
  ["$$\nE = mc^2\n$$", ["E = mc^2"]],
  ["Inline $$x^2$$ here", ["x^2"]],
  ["\\(a\\) and \\[b\\]", ["a", "b"]],
  ["It is $5 but $x$ is not.", ["x"]],
])("the formulas of %j", (text, expected) => {
  expect(formulas(text)).toEqual(expected);
});

test("what is read is as long as what was written", () => {
  const text = "It has $$x$$ in it and \\[y\\] too.\n\nMore.";
  expect(
    lex(text)
      .map((token) => token.raw)
      .join(""),
  ).toBe(text);
});
