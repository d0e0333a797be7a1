/** What models write, in all its kinds, and drawings. */

import { expect } from "vitest";
import { LONG_ANSWER } from "../stories/fixtures.ts";
import type { Story } from "../stories/story.ts";
import { World } from "../stories/World.tsx";
import { Markdown } from "./Markdown.tsx";
import "../transcript/transcript.css";

export default { title: "Markdown" };

const shown = (text: string, live = false) => (
  <World>
    <main className="row-text">
      <Markdown text={text} live={live} />
    </main>
  </World>
);

export const Answer: Story = {
  render: () => shown(LONG_ANSWER),
  play: async ({ root }) => {
    await expect.poll(() => root.querySelector(".katex"), { timeout: 15_000 }).toBeTruthy();
    await expect
      .poll(() => root.querySelector("pre .hljs-keyword, pre [class*=keyword]"), { timeout: 15_000 })
      .toBeTruthy();
  },
};
export const Html: Story = {
  render: () =>
    shown(
      "Fish &amp; chips. Press <kbd>Ctrl</kbd>, H<sub>2</sub>O, x<sup>2</sup>.\n\n<details><summary>More</summary>\n\nHidden **words**.\n\n</details>\n\n<form>text</form>\n\nIt costs $5 or $10; `$HOME` and $PATH stay.",
    ),
};
export const HalfWritten: Story = { render: () => shown("It is **very important and `not yet", true) };
/** How drawings come is in `diagrams.test.tsx`: here they stand as their source until then. */
export const Drawing: Story = {
  render: () => shown('```mermaid\ngraph TD\n  A["First<br>line"] --> B\n```'),
};
