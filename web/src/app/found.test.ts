import { expect, test } from "vitest";
import type { Entry } from "./commands.tsx";
import { found, offered } from "./found.ts";

const entry = (key: string, group: Entry["group"], words: string, also = ""): Entry => ({
  key,
  group,
  icon: null,
  words,
  also,
  ...(group === "This chat" ? { scope: "chat" as const } : {}),
  run: () => {},
});
const COMMANDS = [
  entry("archive", "This chat", "Archive"),
  entry("model-sonnet", "Models", "Claude Sonnet", "sonnet Anthropic model"),
  entry("new", "Go to", "New chat"),
  entry("/admin/usage", "Go to", "Usage", "settings /admin/usage"),
];
const CHATS = [entry("c1", "Chats", "Sonnets of the sea")];
const keys = (entries: Entry[]) => entries.map((each) => `${each.group}: ${each.key}`);

test("what is called as was typed comes before chats, what only holds it after them", () => {
  expect(keys(found("claude", COMMANDS, CHATS))).toEqual(["Best match: model-sonnet", "Chats: c1"]);
  expect(keys(found("sonnet", COMMANDS, CHATS))).toEqual(["Chats: c1", "Models: model-sonnet"]);
});

test("every word counts, in any order, also those that are not shown", () => {
  expect(keys(found("model anthropic", COMMANDS, []))).toEqual(["Models: model-sonnet"]);
  expect(found("model archive", COMMANDS, [])).toEqual([]);
});

test("before anything is typed there are chats, the open chat's commands and the ways out", () => {
  expect(keys(offered(COMMANDS, CHATS))).toEqual(["Chats: c1", "This chat: archive", "Go to: new"]);
});
