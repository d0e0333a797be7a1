/** The composer: never disabled, and nothing typed is lost. */

import type { ReactNode } from "react";
import { expect } from "vitest";
import type { ChatEvent } from "../api/types.ts";
import type { Draft, Drafts } from "../chat/network/drafts.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { answer, chat, message, status, text } from "../stories/fixtures.ts";
import type { Acting, Story } from "../stories/story.ts";
import { chatAfter, World } from "../stories/World.tsx";
import { ChatComposer } from "./ChatComposer.tsx";

export default { title: "Composer" };

/** Of the story that is shown. */
let drafts: Drafts;
let live: LiveChat;

function shown(draft: Partial<Draft>, ...events: ChatEvent[]): ReactNode {
  live = chatAfter(chat(), ...events);
  return (
    <World
      chat={live}
      prepare={(stores) => {
        drafts = stores.drafts;
        drafts.change("c1", (empty) => ({ ...empty, ...draft }));
      }}
    >
      <div
        style={{
          display: "flex",
          flexDirection: "column",
          justifyContent: "end",
          height: "100vh",
          background: "var(--surface)",
        }}
      >
        <ChatComposer />
      </div>
    </World>
  );
}

const idle = status("waiting");
const busy = [
  message(1, "user", [text("go")]),
  status("running"),
  ...answer({ type: "text", index: 0, text: "Well" }),
];
const box = (root: HTMLElement) => root.querySelector("textarea") as HTMLTextAreaElement;
const said = ({ asked }: Acting) =>
  asked.filter((entry) => entry.what === "POST /chats/c1/messages").map((entry) => entry.body);

export const Idle: Story = {
  render: () => shown({}, idle),
  play: async (acting) => {
    await acting.user.click(box(acting.root));
    await acting.user.keyboard("hello{Shift>}{Enter}{/Shift}world{Enter}");
    expect(said(acting)).toMatchObject([
      { content: [{ type: "text", text: "hello\nworld" }], busy: "queue" },
    ]);
    expect(box(acting.root).value).toBe("");
  },
};

export const Busy: Story = {
  render: () => shown({ text: "use pytest" }, ...busy),
  play: async (acting) => {
    await acting.user.click(box(acting.root));
    await acting.user.keyboard("{Control>}{Enter}{/Control}");
    expect(said(acting)).toMatchObject([{ busy: "steer" }]);
    await acting.user.click(acting.root.querySelector(".stop") as HTMLElement);
    expect(acting.asked.at(-1)?.what).toBe("POST /chats/c1/interrupt");
  },
};

export const HowToSend: Story = {
  render: () => shown({ text: "stop that" }, ...busy),
  play: async (acting) => {
    await acting.user.click(acting.root.querySelector(".send-more") as HTMLElement);
    await expect.poll(() => acting.root.querySelectorAll('[role="menuitem"]').length).toBe(3);
    await acting.user.click(acting.root.querySelectorAll('[role="menuitem"]')[2] as HTMLElement);
    expect(said(acting)).toMatchObject([{ busy: "interrupt" }]);
  },
};

export const StopWithAQueue: Story = {
  render: () => shown({}, ...busy, queued(4)),
  play: async ({ root, user, asked }) => {
    await user.click(root.querySelector(".stop") as HTMLElement);
    expect(root.textContent).toContain("1 message in the queue");
    await user.click(root.querySelector("dialog .button-danger") as HTMLElement);
    await expect
      .poll(() => asked.map((entry) => entry.what).filter((what) => !what.startsWith("GET")))
      .toEqual(["DELETE /chats/c1/queue/4", "POST /chats/c1/interrupt"]);
  },
};

export const StopByCommandWithAQueue: Story = {
  render: () => shown({ text: "/stop" }, ...busy, queued(4)),
  play: async ({ root, user, asked }) => {
    await user.click(box(root));
    await user.keyboard("{Enter}");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("1 message in the queue");
    expect(asked.map((entry) => entry.what)).not.toContain("POST /chats/c1/interrupt");
    await user.click(root.querySelector("dialog .button-primary") as HTMLElement);
    await expect.poll(() => asked.map((entry) => entry.what)).toContain("POST /chats/c1/interrupt");
  },
};

export const Stopping: Story = { render: () => shown({ text: "and then" }, status("interrupting")) };

export const WithFiles: Story = {
  render: () =>
    shown(
      {
        attachments: [
          {
            id: "1",
            name: "trace.json",
            state: {
              phase: "ready",
              file: { id: "f", name: "trace.json", media_type: "application/json", size: 9 },
            },
          },
          { id: "2", name: "screen.png", state: { phase: "uploading", share: 0.4 } },
          { id: "3", name: "movie.mov", state: { phase: "failed", reason: "this type is not allowed" } },
        ],
        comments: [
          { file_name: "importer/run.py", line: 14, content: "for batch", comment: "name this better" },
        ],
      },
      idle,
    ),
  play: async ({ root, user }) => {
    expect(root.textContent).toContain("movie.mov: this type is not allowed");
    await user.click(root.querySelector('[aria-label="Remove movie.mov"]') as HTMLElement);
    expect(root.textContent).not.toContain("movie.mov");
  },
};

const upload = { id: "2", name: "screen.png" };

export const SentOnceUploaded: Story = {
  render: () =>
    shown({ text: "look", attachments: [{ ...upload, state: { phase: "uploading", share: 0.4 } }] }, idle),
  play: async (acting) => {
    await acting.user.click(box(acting.root));
    await acting.user.keyboard("{Enter}");
    expect(said(acting)).toEqual([]);
    expect(acting.root.textContent).toContain("Sends when uploads finish");
    const file = { id: "f", name: "screen.png", media_type: "image/png", size: 9 };
    drafts.attach("c1", { ...upload, state: { phase: "ready", file } });
    await expect.poll(() => said(acting)).toMatchObject([{ content: [{ type: "file" }, { text: "look" }] }]);
    expect(box(acting.root).value).toBe("");
  },
};

export const NotSentWithoutItsFile: Story = {
  render: () =>
    shown({ text: "look", attachments: [{ ...upload, state: { phase: "uploading", share: 0.4 } }] }, idle),
  play: async (acting) => {
    await acting.user.click(box(acting.root));
    await acting.user.keyboard("{Enter}");
    drafts.attach("c1", { ...upload, state: { phase: "failed", reason: "too large" } });
    await expect.poll(() => acting.root.textContent).toContain("screen.png: too large");
    expect(said(acting)).toEqual([]);
    expect(box(acting.root).value).toBe("look");
  },
};

export const LargePaste: Story = {
  render: () => shown({}, idle),
  play: async ({ root }) => {
    const data = new DataTransfer();
    data.setData("text/plain", "x".repeat(2_000_000));
    box(root).dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
    await expect.poll(() => root.textContent).toMatch(/pasted-.*\.txt/);
    expect(box(root).value).toBe("");
  },
};

export const Commands: Story = {
  render: () => shown({}, idle),
  play: async (acting) => {
    await acting.user.click(box(acting.root));
    await acting.user.keyboard("/comp");
    await expect.poll(() => acting.root.querySelector("#suggestions")?.textContent).toContain("/compact");
    await acting.user.keyboard("{Enter}{Enter}");
    expect(acting.asked.map((entry) => entry.what)).toEqual(["POST /chats/c1/compact"]);
  },
};

export const Queue: Story = {
  render: () =>
    shown({}, ...busy, {
      type: "queue_update",
      cursor: "q",
      queue: [1, 2, 3].map((number) => ({
        number,
        parts: [text(`message ${number}`)],
        created_at: "2026-01-01T00:00:00Z",
      })),
    }),
  play: async ({ root, user, asked }) => {
    (root.querySelectorAll(".grip")[0] as HTMLElement).focus();
    await user.keyboard("{ArrowDown}");
    expect(asked).toEqual([{ what: "PUT /chats/c1/queue", body: { order: [2, 1, 3] } }]);
    await user.click(root.querySelector('[aria-label="Send now"]') as HTMLElement);
    expect(asked.at(-1)?.what).toBe("POST /chats/c1/queue/2/promote");
  },
};

const queued = (...numbers: number[]): ChatEvent => ({
  type: "queue_update",
  cursor: "q",
  queue: numbers.map((number) => ({
    number,
    parts: [text(`message ${number}`)],
    created_at: "2026-01-01T00:00:00Z",
  })),
});

/** A message that is sent while somebody changes it takes nothing along that was typed. */
export const SentWhileEdited: Story = {
  render: () => shown({}, ...busy, queued(1, 2)),
  play: async ({ root, user }) => {
    const editor = () => root.querySelector<HTMLTextAreaElement>(".queue-editing textarea");
    await user.click(root.querySelector('[aria-label="Edit queued message"]') as HTMLElement);
    await user.fill(editor() as HTMLElement, "message one, better");
    live.dispatch(queued(2));
    await expect.poll(editor).toBe(null);
    await expect.poll(() => box(root).value).toBe("message one, better");
  },
};
