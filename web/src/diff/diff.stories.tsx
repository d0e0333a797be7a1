/** Diffs, unified and side by side, and a comment on a line. */

import { expect } from "vitest";
import { DIFF } from "../stories/fixtures.ts";
import type { Story } from "../stories/story.ts";
import Diff from "./Diff.tsx";

export default { title: "Diff" };

const comments: unknown[][] = [];

export const Unified: Story = {
  render: () => <Diff text={DIFF} onComment={(...comment) => comments.push(comment)} />,
  play: async ({ root, user }) => {
    await user.click(root.querySelector('[aria-label="Comment on line 14"]') as HTMLElement);
    await user.keyboard("say why");
    await user.click(root.querySelector(".diff-box .button-primary") as HTMLElement);
    expect(comments).toEqual([["importer/run.py", 14, "            yield batch", "say why"]]);
  },
};

export const Split: Story = { render: () => <Diff text={DIFF} mode="split" /> };

export const Nothing: Story = { render: () => <Diff text="" /> };
