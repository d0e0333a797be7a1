/** The little HTML that models write: a short list is shown as meant, everything else as it is written. */

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown.tsx";

const shown = (text: string) =>
  renderToStaticMarkup(createElement(Markdown, { text }))
    .replace(/^<div class="markdown">|<\/div>$/g, "")
    .replaceAll(' dir="auto"', "");

test.each([
  ["Press <kbd>Ctrl</kbd>+<kbd>C</kbd>", "<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd></p>"],
  ["H<sub>2</sub>O, x<SUP>2</SUP>", "<p>H<sub>2</sub>O, x<sup>2</sup></p>"],
  ["one<br>two<br/>three", "<p>one<br/>two<br/>three</p>"],
  ["<br>", "<p><br/></p>"],
  ["<b>so <i>it</b> is", "<p><b>so <i>it</i></b> is</p>"],
  ["<mark onclick='x()' class=y>a **b**</mark>", "<p><mark>a <strong>b</strong></mark></p>"],
  ["still <kbd>Ct", "<p>still <kbd>Ct</kbd></p>"],
  ["no </kbd> more", "<p>no &lt;/kbd&gt; more</p>"],
  ["a <!-- hidden --> b", "<p>a  b</p>"],
  ["a <script>alert(1)</script> b", "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>"],
  ["<img src=x onerror=y>", "<p>&lt;img src=x onerror=y&gt;</p>"],
])("%j", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("entities are the characters they name, but not in code", () => {
  expect(
    shown("&copy; &rarr; &le; &mdash; &hellip; &eacute; &alpha; &#8364; &#x1F600; &amp;lt; &nope;"),
  ).toBe("<p>© → ≤ — … é α € 😀 &amp;lt; &amp;nope;</p>");
  expect(shown("`&copy;`")).toBe("<p><code>&amp;copy;</code></p>");
  expect(shown("&#0; &#xD800; &#9999999;")).toBe("<p>\uFFFD \uFFFD \uFFFD</p>");
});

test("details fold what stands in them, also across blocks and within each other", () => {
  expect(shown("<details><summary>More</summary>All of **it**</details>")).toBe(
    "<details><summary>More</summary><p>All of <strong>it</strong></p></details>",
  );
  expect(
    shown(
      "Before\n\n<details open>\n<summary>The `log`</summary>\n\nOne\n\n- two\n\n<details>\n\nin\n\n</details>\n\n</details>\n\nAfter",
    ),
  ).toBe(
    '<p>Before</p><details open=""><summary>The <code>log</code></summary><p>One</p><ul><li>two</li></ul><details><summary>Details</summary><p>in</p></details></details><p>After</p>',
  );
  expect(shown("<details>\n<summary>Open</summary>\n\nstill")).toBe(
    "<details><summary>Open</summary><p>still</p></details>",
  );
  expect(shown("</details>\n\nAfter")).toBe("<p>&lt;/details&gt;</p><p>After</p>");
});
