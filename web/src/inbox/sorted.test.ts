import { expect, test } from "vitest";
import type { InboxEntry } from "../api/types.ts";
import { card } from "../stories/fixtures.ts";
import { sorted, wordsOf } from "./sorted.ts";

const entry = (id: number, kind: InboxEntry["kind"], more: Partial<InboxEntry> = {}): InboxEntry => ({
  id,
  chat_id: `c${id}`,
  kind,
  title: "A chat",
  text: "",
  created_at: "2026-06-15T09:00:00Z",
  ...more,
});
const asking = card("c1", { asks: "question" });
const answered = card("c2", { turn_label: "Chose the port" });
const cards = new Map([asking, answered].map((each) => [each.id, each]));

test("what still waits for somebody comes first, and what was answered is news", () => {
  const groups = sorted([entry(3, "finished"), entry(2, "needs_you"), entry(1, "needs_you")], cards);
  expect(groups.map(({ name, list }) => [name, list.map((each) => each.id)])).toEqual([
    ["Needs you", [1]],
    ["Updates", [3, 2]],
  ]);
});

test("an error waits as long as the list says so, and only under the entry that tells of it", () => {
  const broken = card("c5", { status: "error", unread: true });
  const both = [entry(5, "needs_you"), { ...entry(6, "failed"), chat_id: "c5" }];
  const groups = sorted(both, new Map([["c5", broken]]));
  expect(groups.map(({ name, list }) => [name, list.map((each) => each.id)])).toEqual([
    ["Needs you", [6]],
    ["Updates", [5]],
  ]);
});

test("of a chat that is not known here, an entry waits until it is read", () => {
  const read = entry(9, "needs_you", { read_at: "2026-06-15T09:00:00Z" });
  expect(sorted([entry(8, "needs_you"), read], cards).map((group) => group.list.length)).toEqual([1, 1]);
});

test("an entry says what its chat waits for, or how it ended", () => {
  expect(wordsOf(entry(1, "needs_you"), asking)).toBe("Has a question for you");
  expect(wordsOf(entry(2, "needs_you"), answered)).toBe("Answered");
  expect(wordsOf(entry(2, "finished"), answered)).toBe("Chose the port");
  expect(wordsOf(entry(2, "finished"), card("c2", { title: "Ports", turn_label: "Ports" }))).toBe("Finished");
  expect(wordsOf(entry(4, "failed"), undefined)).toBe("Stopped with an error");
  expect(wordsOf(entry(4, "digest", { text: "Three chats" }), undefined)).toBe("Three chats");
});
