import { afterEach, expect, test, vi } from "vitest";
import type { ChatCard } from "../../api/types.ts";
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

afterEach(() => vi.unstubAllGlobals());

/** Answer the reads of the list by hand, in whichever order. */
function lateAnswers(): ((items: ChatCard[]) => void)[] {
  const answers: ((items: ChatCard[]) => void)[] = [];
  vi.stubGlobal("fetch", () => {
    return new Promise((resolve) => answers.push((items) => resolve(Response.json({ items }))));
  });
  return answers;
}

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

test("what is heard while an answer is on its way is newer than the answer", async () => {
  const answers = lateAnswers();
  const directory = new Directory();
  directory.put([card({ id: "gone" })]);
  const read = directory.read();
  directory.hear([{ type: "deleted", cursor: "1", chat_id: "gone" }]);
  directory.hear([{ type: "title_change", cursor: "2", chat_id: "c", chat: card({ title: "new" }) }]);
  answers[0]?.([card({ title: "old" }), card({ id: "gone" }), card({ id: "other" })]);
  await read;
  expect([...directory.cards.values()].map(({ id, title }) => [id, title])).toEqual([
    ["c", "new"],
    ["other", "t"],
  ]);
});

test("of two answers, the one that was asked for last is right, whichever comes last", async () => {
  const answers = lateAnswers();
  const directory = new Directory();
  const reads = [directory.read(), directory.read()];
  answers[1]?.([card({ title: "new" })]);
  await reads[1];
  answers[0]?.([card({ title: "old" })]);
  await reads[0];
  expect(directory.cards.get("c")?.title).toBe("new");
});

test("a reset forgets what is gone, and nothing that is shown or was heard meanwhile", async () => {
  const answers = lateAnswers();
  const directory = new Directory();
  directory.put([card({ id: "gone" }), card({ id: "archived" })]);
  directory.reads(() => Promise.all([directory.read(), directory.read({ archived: "true" })]));
  directory.hear([{ type: "watch_reset", cursor: "1" }]);
  directory.hear([{ type: "created", cursor: "2", chat_id: "born", chat: card({ id: "born" }) }]);
  answers[0]?.([card()]);
  answers[1]?.([card({ id: "archived" })]);
  await expect.poll(() => [...directory.cards.keys()].sort()).toEqual(["archived", "born", "c"]);
});
