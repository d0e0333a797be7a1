/** Whole pages, as people see them. */

import { expect } from "vitest";
import type { ChatCard, ChatEvent } from "../api/types.ts";
import {
  answer,
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
import type { Story } from "../stories/story.ts";
import { World } from "../stories/World.tsx";
import { App } from "./App.tsx";
import { Shell } from "./Shell.tsx";

export default { title: "Page" };

const now = Date.now();
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
const CARDS: ChatCard[] = [
  card("c1", {
    title: "Make the importer resumable",
    turn_label: "Storing a cursor per file",
    status: "running",
    updated_at: hoursAgo(0),
    diff: { branch: "resume", files: 2, added: 42, removed: 9 },
    children: ["c1a"],
  }),
  card("c1a", {
    title: "Look for the flaky test",
    parent_id: "c1",
    status: "running",
    turn_label: "Reading logs",
  }),
  card("c2", {
    title: "Release notes for 2.4",
    status: "requires_action",
    action: "approval",
    updated_at: hoursAgo(0.4),
  }),
  card("c3", {
    title: "Why is the build slow?",
    turn_label: "Profiled the bundler",
    unread: true,
    updated_at: hoursAgo(0.6),
  }),
  card("c4", {
    title: "Migrate to Postgres 18",
    pin: 1,
    turn_label: "Planned the cutover",
    updated_at: hoursAgo(30),
  }),
  card("c5", {
    title: "Nightly backup check",
    status: "error",
    unread: true,
    last_error: { message: "The key was refused." },
    updated_at: hoursAgo(1),
  }),
  card("c6", {
    title: "Explain the retry policy",
    turn_label: "Drew the timeline",
    updated_at: hoursAgo(28),
  }),
  card("c7", { title: "Sketch a habit tracker", model: "demo", updated_at: hoursAgo(90) }),
];
const HISTORY: ChatEvent[] = [
  message(1, "user", [
    text("Make the importer resumable. It must not repeat more than one batch after a crash."),
  ]),
  message(2, "assistant", [
    {
      type: "reasoning",
      text: "**Reading the importer**\n\nWhere does it keep state?",
      started_at: hoursAgo(1),
      completed_at: new Date(now - 3_590_000).toISOString(),
    },
    text("I'll look at how batches are read and where a crash would leave them."),
    call("r1", "read_file", { path: "importer/run.py" }),
    call("r2", "read_file", { path: "importer/store.py" }),
    call("r3", "search_files", { pattern: "batches\\(" }),
  ]),
  message(3, "tool", [result("r1", "read_file", "1  class Run:")]),
  message(4, "tool", [result("r2", "read_file", "1  class Store:")]),
  message(5, "tool", [result("r3", "search_files", "importer/run.py:14")]),
  message(6, "assistant", [
    call("e1", "edit_files", { files: [{ path: "importer/run.py", edits: [] }] }),
    call("x1", "execute", { command: "make test" }),
  ]),
  message(7, "tool", [result("e1", "edit_files", DIFF)]),
  message(8, "tool", [result("x1", "execute", "14 passed in 2.31s\n[Exit code 0 after 2.4 s.]")]),
  message(9, "assistant", [text(LONG_ANSWER)], {
    model: "demo",
    usage: { input: 48_200, output: 1_940 },
    cost: 182_000,
    finish_reason: "stop",
  }),
  message(10, "user", [text("Good. Now do the same for the exporter.")]),
];
const ANSWERS = {
  "GET /me": {
    id: "me",
    email: "ada@example.org",
    name: "Ada",
    role: "owner",
    organisation_id: "o",
    csrf_token: "x",
    preferences: {},
  },
  "GET /chats": {
    items: CARDS.filter((entry) => !entry.parent_id),
    related: CARDS.filter((entry) => entry.parent_id),
  },
  "GET /inbox": {
    unread: 2,
    items: [
      {
        id: "1",
        chat_id: "c2",
        kind: "needs_you",
        title: "Release notes for 2.4",
        text: "Asks to run git push",
        created_at: hoursAgo(0.4),
      },
      {
        id: "2",
        chat_id: "c5",
        kind: "failed",
        title: "Nightly backup check",
        text: "The key was refused.",
        created_at: hoursAgo(1),
      },
      {
        id: "3",
        chat_id: "c6",
        kind: "finished",
        title: "Explain the retry policy",
        text: "Drew the timeline",
        created_at: hoursAgo(28),
        read_at: hoursAgo(20),
      },
    ],
  },
  "GET /workspaces/w1/diff": { diff: DIFF },
  "GET /chats/c1/cost": {
    cost: 182_000,
    items: [
      {
        chat_id: "c1",
        unpriced_calls: 0,
        model: "demo",
        input: 48_200,
        cache_read: 40_100,
        output: 1_940,
        cost: 182_000,
      },
    ],
  },
};

function page(path: string, ...events: ChatEvent[]) {
  return (
    <World
      path={path}
      cards={CARDS}
      prepare={({ chats }) => {
        const live = chats.get("c1");
        for (const event of [chat({ workspace_id: "w1", diff: CARDS[0]?.diff }), ...events])
          live.dispatch(event);
        live.follow = () => () => {};
        live.dispatch({ type: "connection", connection: "open" });
      }}
    >
      <Shell />
    </World>
  );
}

const streaming = [
  status("running"),
  ...answer({ type: "text", index: 0, text: "The exporter writes in one pass, so it needs a different" }),
];
const queue: ChatEvent = {
  type: "queue_update",
  cursor: "q",
  queue: [
    { number: 1, parts: [text("Then update the README.")], created_at: hoursAgo(0) },
    { number: 2, parts: [text("And add a changelog entry.")], steer: true, created_at: hoursAgo(0) },
  ],
};

export const Working: Story = {
  render: () => page("/chats/c1", ...HISTORY, ...streaming, queue),
  answers: ANSWERS,
  width: 1440,
  height: 900,
};

export const WithPanel: Story = {
  render: () => {
    localStorage.setItem("panel-open", "true");
    return page("/chats/c1", ...HISTORY.slice(0, 9), status("waiting"));
  },
  answers: ANSWERS,
  width: 1600,
  height: 900,
};

export const Phone: Story = {
  render: () => page("/chats/c1", ...HISTORY, ...streaming, queue),
  answers: ANSWERS,
  width: 375,
  height: 740,
};

export const NewChat: Story = { render: () => page("/"), answers: ANSWERS, width: 1280, height: 800 };

export const PhoneNewChat: Story = {
  render: () => page("/"),
  answers: { ...ANSWERS, "GET /chats": { items: [] } },
  width: 375,
  height: 740,
};

export const FirstRun: Story = {
  render: () => (
    <World path="/">
      <Shell />
    </World>
  ),
  answers: { ...ANSWERS, "GET /chats": { items: [] } },
  width: 1280,
  height: 800,
};

export const SignedOut: Story = {
  render: () => (
    <World>
      <App />
    </World>
  ),
  answers: {
    "GET /me": () => new Response('{"message":"Sign in."}', { status: 401 }),
    "GET /login/methods": {
      password: true,
      oidc: [{ slug: "corp", name: "Corp SSO", url: "/api/v1/oidc/corp" }],
      first_run: true,
    },
  },
  play: async ({ root, user, asked }) => {
    await expect.poll(() => root.querySelector("input[type=email]")).toBeTruthy();
    await user.fill(root.querySelector("input[type=email]") as HTMLElement, "ada@example.org");
    await user.fill(root.querySelector("input[type=password]") as HTMLElement, "secret");
    await user.click(root.querySelector("button[type=submit]") as HTMLElement);
    expect(asked[0]).toEqual({ what: "POST /login", body: { email: "ada@example.org", password: "secret" } });
  },
};

export const ServerGone: Story = {
  render: () => (
    <World>
      <App />
    </World>
  ),
  answers: { "GET /me": () => new Response("", { status: 502 }) },
};

export const Providers: Story = {
  render: () => page("/admin/providers"),
  answers: {
    ...ANSWERS,
    "GET /providers": {
      items: [
        {
          id: "p1",
          name: "Anthropic",
          dialect: "anthropic_messages",
          base_url: "https://api.anthropic.com",
          has_key: true,
          enabled: true,
        },
        {
          id: "p2",
          name: "Ollama",
          dialect: "openai_chat",
          base_url: "http://127.0.0.1:11434",
          enabled: true,
        },
      ],
    },
    "POST /providers/p1/test": { ok: true, message: "", latency_ms: 412 },
  },
  width: 1280,
  height: 900,
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector(".provider .button-small")).toBeTruthy();
    await user.click(root.querySelector(".provider .button-small") as HTMLElement);
    await expect.poll(() => root.textContent).toContain("works, 412 ms");
  },
};

export const Usage: Story = {
  render: () => page("/admin/usage"),
  answers: {
    ...ANSWERS,
    "GET /usage": {
      items: ["10", "11", "12", "13", "14"].map((day, at) => ({
        name: `2026-06-${day}`,
        unpriced_calls: 0,
        calls: 20 * at + 9,
        input: 90_000 * (at + 1),
        output: 4_000 * (at + 2),
        cost: 300_000 * (at + 1),
      })),
    },
  },
  width: 1280,
  height: 800,
};

export const Keyboard: Story = {
  render: () => page("/chats/c1", ...HISTORY.slice(0, 2), status("waiting")),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user }) => {
    (document.activeElement as HTMLElement | null)?.blur();
    await user.keyboard("?");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Search and go anywhere");
    await user.keyboard("{Escape}");
    await expect.poll(() => root.querySelector("dialog")).toBe(null);
    await user.keyboard("{Control>}k{/Control}");
    await expect.poll(() => root.querySelector(".palette")).toBeTruthy();
    await user.keyboard("habit");
    await expect
      .poll(() => root.querySelector('.palette [aria-selected="true"]')?.textContent)
      .toContain("Sketch a habit tracker");
  },
};
