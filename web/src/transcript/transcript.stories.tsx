/** The conversation in each of its states. */

import type { ReactNode } from "react";
import { expect } from "vitest";
import type { ChatEvent } from "../api/types.ts";
import { VersionsProvider } from "../chat/network/VersionsProvider.tsx";
import {
  answer,
  at,
  call,
  card,
  chat,
  DIFF,
  LONG_ANSWER,
  message,
  result,
  status,
  text,
} from "../stories/fixtures.ts";
import { pressed } from "../stories/place.tsx";
import type { Story } from "../stories/story.ts";
import { chatAfter, World } from "../stories/World.tsx";
import { FilesDialog, ForkDialog } from "./filesBack.tsx";
import { PastBar } from "./PastBar.tsx";
import { Transcript } from "./Transcript.tsx";

export default { title: "Transcript" };

function shown(...events: ChatEvent[]): ReactNode {
  return (
    <World chat={chatAfter(chat(), ...events)}>
      <div style={{ display: "flex", height: "100vh", background: "var(--surface)" }}>
        <Transcript />
      </div>
    </World>
  );
}

const asked = message(1, "user", [
  text("Make the importer resumable. It must not repeat more than one batch after a crash."),
]);
const answered = message(2, "assistant", [text(LONG_ANSWER)], {
  model: "demo",
  usage: { input: 12_400, output: 820 },
  cost: 41_200,
  finish_reason: "stop",
});

export const Answered: Story = { render: () => shown(asked, answered, status("waiting")), height: 1000 };

export const Starting: Story = { render: () => shown(asked, status("running")) };

export const Streaming: Story = {
  render: () =>
    shown(
      asked,
      status("running"),
      ...answer({ type: "text", index: 0, text: "The importer now keeps\n\n```python\ndef resume(" }),
    ),
};

export const Thinking: Story = {
  render: () =>
    shown(
      asked,
      status("running"),
      ...answer({
        type: "reasoning",
        index: 0,
        text: "**Reading the importer**\n\nIt reads batches…",
        started_at: at(0),
      }),
    ),
};

export const Retrying: Story = {
  render: () =>
    shown(asked, status("running"), {
      type: "retry",
      cursor: "r",
      retry: {
        attempt: 3,
        delay_ms: 59_000,
        error: "The provider is overloaded",
        kind: "overloaded",
        provider: "Anthropic",
        retrying_at: new Date(Date.now() + 59_000).toISOString(),
      },
    }),
  play: async ({ root, user, asked: requests }) => {
    expect(root.textContent).toMatch(/Retrying in [345]\ds/);
    await user.click(root.querySelector(".retrying button") as HTMLElement);
    expect(requests.map((entry) => entry.what)).toEqual(["POST /chats/c1/retry"]);
  },
};

export const Failed: Story = {
  render: () =>
    shown(asked, status("error"), {
      type: "error",
      cursor: "e",
      error: {
        message: "The key was refused.",
        kind: "auth",
        provider: "Anthropic",
        status_code: 401,
        detail: "invalid x-api-key",
      },
    }),
  play: async ({ root, user, asked: requests }) => {
    await user.click(root.querySelector(".error-card .button-primary") as HTMLElement);
    expect(requests.map((entry) => entry.what)).toEqual(["POST /chats/c1/retry"]);
  },
};

export const Overflowed: Story = {
  render: () =>
    shown(asked, answered, message(3, "user", [text("And now?")]), status("error"), {
      type: "error",
      cursor: "e",
      error: { message: "The conversation is longer than the model can read.", kind: "context_overflow" },
    }),
  play: async ({ root, user, asked: requests }) => {
    await user.click(root.querySelector(".error-card .button-primary") as HTMLElement);
    expect(requests.find((entry) => entry.what.startsWith("POST"))).toEqual({
      what: "POST /chats/c1/retry",
      body: { compact: true },
    });
  },
};

export const OverflowedAtOnce: Story = {
  render: () =>
    shown(asked, status("error"), {
      type: "error",
      cursor: "e",
      error: { message: "The conversation is longer than the model can read.", kind: "context_overflow" },
    }),
  play: async ({ root }) => {
    expect(root.querySelector(".error-card .button-primary")?.textContent).toBe("Retry");
  },
};

export const CutAnswer: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [text("The first half of a long answer")], { finish_reason: "length" }),
      message(3, "assistant", [{ type: "notice", kind: "length", text: "The answer was cut." }], {
        kind: "notice",
      }),
      status("waiting"),
    ),
  play: async ({ root, user, asked: requests }) => {
    await user.click(root.querySelector(".turn-ending button") as HTMLElement);
    expect(requests[0]?.what).toBe("POST /chats/c1/messages");
  },
};

export const FailedQuestion: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [
        call("q", "ask_user_question", {
          questions: [{ question: "Which one?", options: [{ label: "This" }, { label: "That" }] }],
        }),
      ]),
      message(3, "tool", [
        {
          type: "tool_result",
          call_id: "q",
          tool: "ask_user_question",
          result: "Tool execution interrupted by user",
          is_error: true,
        },
      ]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    expect(root.querySelector(".questions")?.textContent).toContain("Tool execution interrupted by user");
    expect(root.querySelector<HTMLElement>(".option")?.matches(":disabled")).toBe(true);
  },
};

export const Interrupted: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [text("I began with the importer, and")], { finish_reason: "interrupted" }),
      status("waiting"),
    ),
  play: async ({ root, user, asked: requests }) => {
    await user.click(root.querySelector(".turn-ending button") as HTMLElement);
    expect(requests[0]).toMatchObject({
      what: "POST /chats/c1/messages",
      body: { content: [{ type: "text", text: "Continue." }] },
    });
  },
};

export const Approval: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("k", "execute", { command: "rm -rf build" })]),
      {
        type: "action_required",
        cursor: "a",
        action: {
          kind: "approval",
          calls: [{ call_id: "k", tool: "execute", args: '{"command":"rm -rf build"}' }],
          deadline_at: at(86_400),
        },
      },
      status("requires_action"),
    ),
  play: async ({ root, user, asked: requests }) => {
    await user.click(root.querySelector(".action-card .button-primary") as HTMLElement);
    expect(requests[0]).toEqual({
      what: "POST /chats/c1/action",
      body: { decisions: [{ call_id: "k", decision: "approve" }] },
    });
  },
};

const several: ChatEvent = {
  type: "action_required",
  cursor: "a",
  action: {
    kind: "approval",
    calls: [
      { call_id: "w", tool: "write_file", args: '{"path":"notes/plan.md","content":"# Plan\\n\\n- one\\n"}' },
      {
        call_id: "e",
        tool: "edit_files",
        args: '{"files":[{"path":"a.py","edits":[{"old_text":"x = 1","new_text":"x = 2"}]}]}',
      },
      { call_id: "o", tool: "shop__order", args: '{"items":["tea","milk"],"note":"ring\\ntwice"}' },
      { call_id: "x", tool: "execute", args: '{"command":"rm -rf build"}', decision: "approve" },
    ],
  },
};

export const SeveralApprovals: Story = {
  height: 1100,
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("x", "execute", { command: "rm -rf build" })]),
      several,
      status("requires_action"),
    ),
  play: async ({ root, user, asked: requests }) => {
    const [write, edit, order, decided] = [...root.querySelectorAll<HTMLElement>(".pending")];
    expect(root.querySelector(".action-card")?.textContent).not.toContain("\\n");
    expect(decided?.querySelector(".button-primary")).toBeNull();
    write?.querySelector<HTMLElement>(".button")?.focus();
    await user.keyboard("d");
    await user.keyboard("Not in that folder.{Enter}");
    edit?.querySelector<HTMLElement>(".button-primary")?.focus();
    await user.keyboard("{ArrowDown}");
    expect(order?.contains(document.activeElement)).toBe(true);
    await user.click(root.querySelector(".decide-together .button") as HTMLElement);
    expect(requests.map((entry) => entry.body)).toEqual([
      { decisions: [{ call_id: "w", decision: "deny", result: "Not in that folder." }] },
      {
        decisions: [
          { call_id: "e", decision: "approve" },
          { call_id: "o", decision: "approve" },
        ],
      },
    ]);
  },
};

export const OutcomeUnknown: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("k", "shop__order", { item: "42" })]),
      {
        type: "action_required",
        cursor: "a",
        action: {
          kind: "outcome_unknown",
          calls: [{ call_id: "k", tool: "shop__order", args: '{"item":"42"}' }],
        },
      },
      status("requires_action"),
    ),
};

export const AQuestionOfACall: Story = {
  height: 700,
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("k", "bar__order", { drink: "tea" })]),
      {
        type: "action_required",
        cursor: "a",
        action: {
          kind: "elicitation",
          calls: [
            {
              call_id: "k",
              tool: "bar__order",
              args: '{"drink":"tea"}',
              questions: [
                {
                  key: "how",
                  message: "How may it be?",
                  schema: {
                    type: "object",
                    properties: {
                      size: { type: "string", title: "Size", enum: ["small", "large"] },
                      cups: { type: "integer", title: "Cups", default: 2 },
                      sugar: { type: "boolean", title: "With sugar" },
                      name: { type: "string", title: "Name", description: "Whoever drinks it." },
                    },
                    required: ["size"],
                  },
                },
              ],
            },
          ],
        },
      },
      status("requires_action"),
    ),
  play: async ({ root, user, asked: requests }) => {
    const card = root.querySelector(".action-card") as HTMLElement;
    await user.selectOptions(card.querySelector("select") as HTMLElement, "large");
    await user.click(card.querySelector("[role=switch]") as HTMLElement);
    await user.click(card.querySelector(".button-primary") as HTMLElement);
    expect(requests[0]).toEqual({
      what: "POST /chats/c1/action",
      body: {
        decisions: [
          {
            call_id: "k",
            decision: "answer",
            answers: { how: { action: "accept", content: { size: "large", cups: 2, sugar: true } } },
          },
        ],
      },
    });
  },
};

export const OverBudget: Story = {
  render: () =>
    shown(
      asked,
      {
        type: "action_required",
        cursor: "a",
        action: { kind: "budget", limit: 2_000_000, spent: 2_040_000 },
      },
      status("requires_action"),
    ),
};

export const Compacted: Story = {
  render: () =>
    shown(
      asked,
      answered,
      message(3, "assistant", [call("s", "chat_summarized", { source: "automatic" })], {
        kind: "compaction",
      }),
      message(4, "tool", [result("s", "chat_summarized", { tokens_before: 141_000, tokens_after: 22_000 })], {
        kind: "compaction",
      }),
      message(5, "user", [text("Go on.")]),
      status("running"),
    ),
  height: 1000,
};

export const NotSent: Story = {
  render: () => {
    const live = chatAfter(chat(), asked, answered, status("waiting"));
    const send = {
      client_id: "x",
      content: [{ type: "text" as const, text: "And the tests?" }],
      busy: "queue" as const,
      at: at(9),
    };
    live.dispatch({
      type: "sending",
      send: { ...send, state: { phase: "failed", reason: "The server cannot be reached." } },
    });
    return (
      <World chat={live}>
        <div style={{ display: "flex", height: "100vh" }}>
          <Transcript />
        </div>
      </World>
    );
  },
};

const edited = message(3, "user", [text("Make the exporter resumable instead.")]);
const again = message(4, "assistant", [text("The exporter keeps its place now.")], { finish_reason: "stop" });
const bodyOf = (event: ChatEvent) => (event.type === "message" ? event.message : null);

/** An edited message, and the version before it with what followed. */
export const Versions: Story = {
  render: () => (
    <World chat={chatAfter(chat(), edited, again, status("waiting"))}>
      <VersionsProvider>
        <div style={{ display: "flex", height: "100vh" }}>
          <Transcript />
        </div>
        <PastBar />
      </VersionsProvider>
    </World>
  ),
  answers: {
    "GET /chats/c1/branches": { items: [{ snapshot: 7, after: 0, messages: [asked, answered].map(bodyOf) }] },
    "POST /chats/c1/fork": { chat: card("c9", { title: "A fork" }) },
  },
  play: async ({ root, user, asked: requests }) => {
    const said = () => root.querySelector(".bubble")?.textContent;
    const button = (label: string) => root.querySelector(`[aria-label="${label}"]`) as HTMLButtonElement;
    await expect.poll(() => root.querySelector(".versions")?.textContent).toBe("2 / 2");
    await user.click(button("Earlier version"));
    await expect.poll(said).toContain("Make the importer resumable.");
    expect(root.querySelector(".versions")?.textContent).toBe("1 / 2");
    expect(root.textContent).toContain("The importer now keeps its place.");
    expect(button("Edit message")).toBe(null);
    await expect.poll(() => document.activeElement).toBe(button("Later version"));
    await user.keyboard("{Enter}");
    await expect.poll(said).toContain("Make the exporter resumable instead.");
    await user.click(button("Earlier version"));
    await expect.poll(said).toContain("Make the importer resumable.");
    const [fork, back] = root.querySelectorAll<HTMLElement>(".past-bar button");
    await user.click(back as HTMLElement);
    await expect.poll(said).toContain("Make the exporter resumable instead.");
    await user.click(button("Earlier version"));
    await expect.poll(said).toContain("Make the importer resumable.");
    await user.click(fork as HTMLElement);
    await expect.poll(() => requests.at(-1)).toEqual({ what: "POST /chats/c1/fork", body: { after: 2 } });
  },
};

export const Tasks: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [text("- [x] read the log\n- [ ] mend the cause")]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    const boxes = [...root.querySelectorAll<HTMLInputElement>(".markdown li.task input")];
    expect(boxes.map((box) => box.checked)).toEqual([true, false]);
  },
};

export const StoppedInACall: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("k", "execute", { command: "make test" })], {
        finish_reason: "tool_calls",
      }),
      message(3, "tool", [
        result("k", "execute", "The call was interrupted before it produced a result.", { is_error: true }),
      ]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    expect(root.querySelector(".turn-ending")?.textContent).toContain("Interrupted");
  },
};

export const Hostile: Story = {
  render: () =>
    shown(
      message(1, "user", [text("x\n".repeat(10_000))]),
      message(2, "assistant", [
        text(
          '<script>window.broken = true</script>\n\n[run](javascript:alert(1)) <img src=x onerror="window.broken=true">\n\n![pixel](https://example.org/p.png)\n\n<!-- hidden -->',
        ),
      ]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    expect((window as { broken?: boolean }).broken).toBe(undefined);
    expect([...root.querySelectorAll(".markdown a")].map((link) => link.getAttribute("href"))).toEqual([
      "https://example.org/p.png",
    ]);
    expect(root.querySelectorAll(".markdown img, .markdown script")).toHaveLength(0);
    expect(root.textContent).toContain("Show all 10,001 lines");
  },
};

export const Held: Story = {
  render: () => {
    const live = chatAfter(chat(), asked, answered, status("waiting"));
    for (const [client_id, words] of Object.entries({ x: "And the tests?", y: "Also the docs." })) {
      const send = { client_id, content: [{ type: "text" as const, text: words }], busy: "queue" as const };
      live.dispatch({ type: "sending", send: { ...send, at: at(9), state: { phase: "held" } } });
    }
    return (
      <World chat={live}>
        <div style={{ display: "flex", height: "100vh" }}>
          <Transcript />
        </div>
      </World>
    );
  },
  play: async ({ root, user }) => {
    const held = () => root.querySelectorAll(".send-held");
    expect(held()).toHaveLength(2);
    await user.click(root.querySelector('.send-held [aria-label="Discard"]') as HTMLElement);
    await expect.poll(() => held().length).toBe(1);
    expect(root.textContent).toContain("Also the docs.");
  },
};

const many = Array.from({ length: 80 }, (_, index) =>
  message(index + 1, index % 2 ? "assistant" : "user", [text(`Message ${index + 1}. `.repeat(20))]),
);

/** What is typed into a row outlives the row, which is gone while nobody sees it. */
export const EditOutOfSight: Story = {
  render: () => shown(...many, status("waiting")),
  play: async ({ root, user }) => {
    const scroller = root.querySelector(".transcript") as HTMLElement;
    const box = () => root.querySelector<HTMLTextAreaElement>(".edit-box textarea");
    const edits = () => [...root.querySelectorAll<HTMLElement>('[aria-label="Edit message"]')];
    await expect.poll(() => edits().length).toBeGreaterThan(0);
    edits().at(-1)?.click();
    await expect.poll(box).not.toBe(null);
    await user.fill(box() as HTMLElement, "Said differently");
    scroller.scrollTop = 0;
    await expect.poll(box).toBe(null);
    scroller.scrollTop = scroller.scrollHeight;
    await expect.poll(() => box()?.value).toBe("Said differently");
  },
};

/** What lights up or opens lines up with what stands around it. */
export const OnTheGrid: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [text("Let me look."), call("k1", "read_file", { path: "a.py" })]),
      message(3, "tool", [result("k1", "read_file", "1  import os")]),
      status("waiting"),
    ),
  play: async ({ root, user }) => {
    const line = root.querySelector(".tool-line") as HTMLElement;
    const outer = (line.parentElement as HTMLElement).getBoundingClientRect();
    const inner = line.getBoundingClientRect();
    expect([inner.left - outer.left, inner.right - outer.right]).toEqual([-8, 8]);
    const end = root.querySelector(".bubble")?.getBoundingClientRect().right;
    await user.click(root.querySelector('[aria-label="Edit message"]') as HTMLElement);
    const box = () => root.querySelector<HTMLTextAreaElement>(".edit-box textarea");
    await expect.poll(box).not.toBe(null);
    const style = getComputedStyle(box() as HTMLElement);
    expect(box()?.getBoundingClientRect().right).toBe(end);
    expect(Number.parseFloat(style.paddingRight) + Number.parseFloat(style.borderRightWidth)).toBe(16);
  },
};

/** What is written from right to left reads so, paragraph by paragraph; code never does. */
export const RightToLeft: Story = {
  render: () =>
    shown(
      message(1, "user", [text("اجعل المستورد قابلا للاستئناف")]),
      message(2, "assistant", [
        text(
          "## כותרת\n\nזו פסקה עם `code` בתוכה.\n\n- אחת\n- שתיים\n\nAnd this is English.\n\n```py\nx = 1\n```",
        ),
      ]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    const direction = (selector: string) =>
      [...root.querySelectorAll(selector)].map((element) => getComputedStyle(element).direction);
    expect(direction(".said-text")).toEqual(["rtl"]);
    expect(direction(".markdown :is(h4, p, ul)")).toEqual(["rtl", "rtl", "rtl", "ltr"]);
    expect(direction(".markdown pre")).toEqual(["ltr"]);
  },
};

const worked = [
  asked,
  message(2, "assistant", [
    { type: "reasoning", text: "**Reading the importer**\n\nWhere is its state?" },
    text("I'll look at how batches are read."),
    call("w1", "read_file", { path: "importer/run.py" }),
  ]),
  message(3, "tool", [result("w1", "read_file", "1  class Run:")]),
  message(4, "assistant", [call("w2", "execute", { command: "make test" })]),
  message(5, "tool", [result("w2", "execute", "2 failed", { is_error: true })]),
  message(6, "assistant", [text("It keeps a cursor per file now.")], { finish_reason: "stop" }),
  status("waiting"),
];

/** A turn that is over: its work is one line, which opens. */
export const Folded: Story = {
  render: () => shown(...worked),
  play: async ({ root, user }) => {
    const line = root.querySelector<HTMLElement>(".work .tool-line");
    expect(line?.textContent).toContain("2 tool calls1 failed");
    expect(root.querySelector("[data-tool=execute]")).toBeNull();
    await user.click(line as HTMLElement);
    await expect.poll(() => root.querySelector("[data-tool=execute]")?.textContent).toContain("make test");
  },
};

/** Looking for a text: the places are marked, and what is folded away is opened. */
export const Finding: Story = {
  render: () => shown(...worked),
  answers: { "GET /chats/c1/matches": { items: [4] } },
  play: async ({ root, user }) => {
    await user.keyboard("{Control>}f{/Control}");
    await user.type(root.querySelector(".find input") as HTMLElement, "make test");
    await expect.poll(() => root.querySelector(".find-count")?.textContent).toBe("1 of 1");
    await expect.poll(() => CSS.highlights.get("found-here")?.size).toBe(1);
    expect(root.querySelector("[data-tool=execute] .tool-body")).not.toBeNull();
  },
};

export const FindingNothing: Story = {
  render: () => shown(...worked),
  answers: { "GET /chats/c1/matches": { items: [] } },
  width: 375,
  play: async ({ root, user }) => {
    await user.keyboard("{Control>}f{/Control}");
    await user.type(root.querySelector(".find input") as HTMLElement, "walrus");
    await expect.poll(() => root.querySelector(".find-count")?.textContent).toBe("No results");
  },
};

/** Far back in a long chat: the ways on stand beside it. */
export const FarBack: Story = {
  render: () => {
    const end = [message(101, "user", [text("And now?")]), message(102, "assistant", [text("Done.")])];
    const long = chatAfter(chat(), ...end, status("waiting"));
    const messages = [asked, answered].flatMap((event) => (event.type === "message" ? [event.message] : []));
    long.dispatch({ type: "stretch", stretch: { messages, older: "none", newer: "more" } });
    return (
      <World chat={long}>
        <div style={{ display: "flex", height: "100vh", background: "var(--surface)" }}>
          <Transcript />
        </div>
      </World>
    );
  },
  play: async ({ root, user }) => {
    await user.click(root.querySelector('[aria-label="Scroll to the latest message"]') as HTMLElement);
    await expect
      .poll(() => root.querySelector(".travel")?.getAttribute("data-away") ?? "gone")
      .not.toBe("true");
  },
};

/** What the workspace's network refused, with who may let it through. */
export const RequestRefused: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [call("x", "execute", { command: "curl https://pypi.example" })]),
      message(3, "tool", [result("x", "execute", "[The network refused GET pypi.example/]")]),
      message(4, "assistant", [text("The network refused it.")]),
      status("waiting"),
    ),
  answers: {
    "GET /chats/c1/network": {
      refused: [
        {
          at: at(60),
          host: "pypi.example",
          method: "GET",
          path: "/simple",
          port: 443,
          reason: "No rule lets it through.",
          rule: { host: "pypi.example" },
        },
      ],
      rules: [],
    },
  },
  height: 1000,
  play: async ({ root, asked }) => {
    await expect.poll(() => root.querySelector(".error-card code")?.textContent).toContain("pypi.example");
    await pressed(root, "Allow once");
    await expect.poll(() => asked.map((entry) => entry.what)).toContain("POST /chats/c1/network/rules");
  },
};

const DOT =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A picture that a model made, one that a tool took, a document, where it was found, and a notice. */
export const BesideTheText: Story = {
  render: () =>
    shown(
      asked,
      message(2, "assistant", [
        { type: "file", file_id: DOT, name: "dot.png", media_type: "image/png" },
        { type: "file", file_id: "f2", name: "notes.pdf", media_type: "application/pdf" },
        { type: "source", id: "s1", url: "https://example.org/note", title: "A note" },
        { type: "notice", kind: "model_changed", text: "The answer comes from another model." },
        text("There it is."),
      ]),
      status("waiting"),
    ),
  play: async ({ root }) => {
    await pressed(root, "Enlarge dot.png");
    await expect.poll(() => root.querySelector("dialog.lightbox img")).toBeTruthy();
  },
};

const DIFFERENT = {
  possible: true,
  count: 2,
  files: [],
  diff: DIFF,
  complete: false,
  left_out: "large.bin",
  state: "s",
};
const NOT_KEPT = {
  possible: false,
  why_not: "They were not kept.",
  count: 0,
  files: [],
  diff: "",
  complete: true,
  left_out: "",
  state: "",
};

function inWorld(dialog: ReactNode): Story {
  return { render: () => <World>{dialog}</World> };
}

/** Files that would go back with an edited message, and those that a fork would get. */
export const FilesGoBack = inWorld(<FilesDialog preview={DIFFERENT} answer={() => {}} />);
export const FilesStay = inWorld(<FilesDialog preview={NOT_KEPT} answer={() => {}} />);
export const FilesOfAFork = inWorld(<ForkDialog preview={DIFFERENT} answer={() => {}} />);
export const FilesOfAForkOfNow = inWorld(<ForkDialog preview={NOT_KEPT} answer={() => {}} />);
