/** Text whose end has not come yet: marks that are still open are never seen. */

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown.tsx";

const markup = (text: string, live: boolean) => renderToStaticMarkup(createElement(Markdown, { text, live }));
const seen = (text: string) => markup(text, true).replace(/<[^>]*>/g, "");

const prefixes = (text: string) => Array.from(text, (_, at) => text.slice(0, at + 1));

test.each([
  "It is **very *much* so** and ***both***, with `code` and __bold__ of _it_ and ~~old~~ ones.",
  "- **Name:** what it is\n- *other*: `a*b` and so on",
  "| a | b |\n|---|---|\n| **x** | `y` |",
  "See [the **guide**](https://example.org/a_b) and <kbd>Ctrl</kbd>.",
])("while %j arrives, no mark is seen", (text) => {
  // A row is a table only once its second line is there.
  const arriving = prefixes(text).filter((part) => !text.startsWith("|") || part.length > 20);
  for (const part of arriving) expect([part, seen(part)]).not.toEqual([part, expect.stringMatching(MARKS)]);
});
const MARKS = /(?<!a)\*|(?<!a)_|~|`|&lt;|\]|https/;

test.each(["2 * 3 is 6", "2*3 is 6 and", "snake_case_name is", "a \\*star and"])(
  "%j is not emphasis",
  (text) => {
    expect(markup(text, true)).not.toContain("<strong>");
    expect(seen(text)).toBe(text.replace("\\", ""));
  },
);

test("what is still being said is shown as it will look", () => {
  expect(markup("so **very imp", true)).toBe(markup("so **very imp**", false));
  expect(markup("so `co", true)).toBe(markup("so `co`", false));
});

test("what has ended is shown as it was written", () => {
  expect(markup("5 stars: **", false)).toContain("5 stars: **");
  expect(markup("**never closed", false)).toContain("**never closed");
});
