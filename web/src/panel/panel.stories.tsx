/** The files of a workspace in each of their kinds. */

import type { ReactNode } from "react";
import { expect } from "vitest";
import type { DebugRun } from "../api/types.ts";
import { at, chat, DIFF, message, status, text } from "../stories/fixtures.ts";
import { ANSWERS, CARDS } from "../stories/house.ts";
import { pressed } from "../stories/place.tsx";
import type { Story } from "../stories/story.ts";
import { chatAfter, World } from "../stories/World.tsx";
import Files from "./Files.tsx";
import Panel from "./Panel.tsx";
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

/** The whole panel of a chat, at one of its tabs. */
function tab(name: string, extra: object = {}): ReactNode {
  localStorage.setItem("panel-tab", JSON.stringify(name));
  const events = [
    chat({ workspace_id: "w1", ...extra }),
    message(1, "user", [text("Go.")]),
    status("waiting"),
  ];
  return (
    <World chat={chatAfter(...events)} cards={CARDS}>
      <aside className="panel" aria-label="Panel" style={{ width: "100%" }}>
        <Panel onClose={() => {}} />
      </aside>
    </World>
  );
}

export const Reviewed: Story = {
  render: () =>
    tab("changes", {
      diff: {
        branch: "resume",
        files: 2,
        added: 9,
        removed: 3,
        pull_request_url: "https://example.com/pull/7",
        pull_request_state: "open",
        pull_request_checks: "failed",
        pull_request_review: "changes_requested",
      },
    }),
  answers: {
    ...ANSWERS,
    "GET /chats/c1/review-comments": {
      items: [
        {
          author: "grace",
          body: "Name it.",
          path: "importer/run.py",
          line: 12,
          url: "https://example.com/1",
        },
      ],
    },
  },
  play: async ({ root, user }) => {
    await pressed(root, "Review comments");
    await expect.poll(() => root.querySelector(".review-body")?.textContent).toBe("Name it.");
    await expect.poll(() => root.querySelector(".diff-comment")).toBeTruthy();
    await user.click(root.querySelector(".diff-comment") as HTMLElement);
    await expect.poll(() => document.activeElement?.getAttribute("aria-label")).toBe("Comment");
  },
};
export const Served: Story = {
  render: () => tab("preview"),
  answers: {
    "GET /chats/c1/ports": { running: true, ports: [{ port: 4107, command: "python3" }] },
    "GET /chats/c1/ports/4107/url": { url: "data:text/html,<title>Served</title>Served", isolated: false },
  },
  play: async ({ root }) => {
    await expect.poll(() => root.querySelector("iframe")).toBeTruthy();
    expect(root.textContent).toContain("Shown in a sandbox");
  },
};
export const NothingServed: Story = {
  render: () => tab("preview"),
  answers: { "GET /chats/c1/ports": { running: true, ports: [] } },
};
export const PreviewOfAStopped: Story = {
  render: () => tab("preview"),
  answers: { "GET /chats/c1/ports": { running: false, ports: [] } },
  play: async ({ root, user, asked }) => {
    await expect.poll(() => root.querySelector(".empty .button")).toBeTruthy();
    await user.click(root.querySelector(".empty .button") as HTMLElement);
    await expect.poll(() => asked.map((entry) => entry.what)).toContain("POST /workspaces/w1/start");
  },
};
export const Terminal: Story = {
  render: () => tab("terminal"),
  play: async ({ root }) => {
    await expect.poll(() => root.querySelector(".xterm"), { timeout: 30_000 }).toBeTruthy();
  },
};
export const About: Story = {
  render: () =>
    tab("summary", { summary: "Makes the importer resumable.", children: ["c1a"], context_dirty: true }),
  answers: {
    ...ANSWERS,
    "GET /chats/c1/context": { files: [{ path: "AGENTS.md" }], skills: [{ name: "release-notes" }] },
  },
  play: async ({ root }) => {
    await expect.poll(() => root.textContent).toContain("AGENTS.md");
  },
};

const RUN: DebugRun = {
  id: 1,
  turn: 1,
  attempt: 2,
  model: "demo",
  provider: "Demo",
  purpose: "answer",
  outcome: "rate_limit",
  status: 429,
  error: "Too many requests.",
  started_at: at(0),
  duration_ms: 412,
  request: { model: "demo" },
  response: "{}",
  blocks: { count: 4, kept: 2 },
};
export const ModelCalls: Story = {
  render: () => tab("debug"),
  answers: { "GET /chats/c1/debug": { items: [RUN] } },
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector(".debug-run button")).toBeTruthy();
    await user.click(root.querySelector(".debug-run button") as HTMLElement);
    expect(root.querySelector(".debug-body")?.textContent).toContain("Too many requests.");
  },
};
export const NoModelCalls: Story = {
  render: () => tab("debug"),
  answers: { "GET /chats/c1/debug": { items: [] } },
};
export const Changed: Story = {
  render: () => tab("changes"),
  answers: {
    "GET /chats/c1/changes": { diff: DIFF, count: 2, files: [], complete: false, left_out: "large.bin" },
  },
};
