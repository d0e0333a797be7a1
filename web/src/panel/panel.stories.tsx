/** The files of a workspace in each of their kinds. */

import type { ReactNode } from "react";
import { expect } from "vitest";
import { chat, status } from "../stories/fixtures.ts";
import type { Story } from "../stories/story.ts";
import { chatAfter, World } from "../stories/World.tsx";
import Files from "./Files.tsx";
import "./panel.css";

export default { title: "Panel" };

const CONTENT = "GET /workspaces/w1/files/content";
const listing = {
  complete: true,
  entries: [
    { path: "notes.md", kind: "file", bytes: 1_240 },
    { path: "src", kind: "directory", bytes: 0 },
    { path: "latest", kind: "link", target: "src/run.py" },
  ],
};

function panel(workspace?: string): ReactNode {
  return (
    <World chat={chatAfter(chat({ workspace_id: workspace }), status("waiting"))}>
      <aside className="panel" aria-label="Panel" style={{ width: "100%" }}>
        <Files workspace={workspace} />
      </aside>
    </World>
  );
}

const file = (name: string, content: BodyInit): Pick<Story, "answers" | "play"> => ({
  answers: {
    "GET /workspaces/w1/files": { complete: true, entries: [{ path: name, kind: "file", bytes: 80 }] },
    [CONTENT]: () => new Response(content),
  },
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector(".file-line")).not.toBeNull();
    await user.click(root.querySelector(".file-line") as HTMLElement);
    await expect.poll(() => root.querySelector(".file-view > :nth-child(2)")).not.toBeNull();
  },
});

export const Tree: Story = {
  render: () => panel("w1"),
  answers: { "GET /workspaces/w1/files": listing },
  play: async ({ root }) => {
    await expect.poll(() => root.querySelectorAll(".file-line").length).toBe(3);
    expect(root.querySelector(".file-line")?.textContent).toBe("src");
  },
};
export const NothingThere: Story = {
  render: () => panel("w1"),
  answers: { "GET /workspaces/w1/files": { complete: true, entries: [] } },
};
export const WithoutWorkspace: Story = { render: () => panel() };
export const Text: Story = { render: () => panel("w1"), ...file("run.py", "def run():\n    return 1\n") };
export const Notes: Story = { render: () => panel("w1"), ...file("notes.md", "# Notes\n\n- one\n- two\n") };
export const Sheet: Story = { render: () => panel("w1"), ...file("data.csv", "name,size\none,1\ntwo,2\n") };
export const Binary: Story = { render: () => panel("w1"), ...file("a.bin", new Uint8Array([0, 1, 2])) };
