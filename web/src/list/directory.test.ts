import { expect, test } from "vitest";
import type { ChatCard } from "../api/types.ts";
import { Directory } from "./directory.ts";

const card = (extra: Partial<ChatCard> = {}): ChatCard => ({
  id: "c",
  owner_id: "me",
  title: "t",
  status: "waiting",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  ...extra,
});

test("what a newer card leaves out is over: unread, pinned, archived", () => {
  const directory = new Directory();
  directory.put([card({ unread: true, pin: 1 })]);
  directory.put([card()]);
  expect(directory.cards.get("c")).toEqual(card());
});

test("the watch stream's word replaces ours, and a deletion removes", () => {
  const directory = new Directory();
  directory.put([card()]);
  directory.hear([{ type: "title_change", cursor: "1", chat_id: "c", chat: card({ title: "new" }) }]);
  expect(directory.cards.get("c")?.title).toBe("new");
  directory.hear([{ type: "deleted", cursor: "2", chat_id: "c" }]);
  expect(directory.cards.size).toBe(0);
});
