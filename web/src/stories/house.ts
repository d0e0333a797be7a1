/** One house with a few chats at work: what whole pages are shown with. */

import type { ChatCard, ChatEvent } from "../api/types.ts";
import { answer, call, card, DIFF, LONG_ANSWER, message, result, status, text } from "./fixtures.ts";

const now = Date.now();
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
export const CARDS: ChatCard[] = [
  card("c1", {
    title: "Make the importer resumable",
    turn_label: "Storing a cursor per file",
    status: "running",
    updated_at: hoursAgo(0),
    diff: { branch: "resume", files: 2, added: 9, removed: 3 },
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
export const HISTORY: ChatEvent[] = [
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
export const ANSWERS = {
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
  "GET /chats/c1/changes": {
    diff: DIFF,
    count: 2,
    files: [
      { path: "importer/run.py", status: "changed", binary: false, added: 5, removed: 3 },
      { path: "tests/test_run.py", status: "new", binary: false, added: 4, removed: 0 },
    ],
    complete: true,
    left_out: "",
  },
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

export const STREAMING: ChatEvent[] = [
  status("running"),
  ...answer({ type: "text", index: 0, text: "The exporter writes in one pass, so it needs a different" }),
];
export const QUEUE: ChatEvent = {
  type: "queue_update",
  cursor: "q",
  queue: [
    { number: 1, parts: [text("Then update the README.")], created_at: hoursAgo(0) },
    { number: 2, parts: [text("And add a changelog entry.")], steer: true, created_at: hoursAgo(0) },
  ],
};
