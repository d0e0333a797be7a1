import { expect, test } from "vitest";
import { matching, replaced, triggerAt } from "./suggest.ts";

test("a slash asks for a command only at the start", () => {
  expect(triggerAt("/comp", 5)).toEqual({ kind: "command", query: "comp", from: 0 });
  expect(triggerAt("and /comp", 9)).toBe(null);
});

test("an at sign asks for a file anywhere a word begins", () => {
  expect(triggerAt("look at @src/m", 14)).toEqual({ kind: "file", query: "src/m", from: 8 });
  expect(triggerAt("mail me@home", 12)).toBe(null);
});

test("the nearest and shortest match comes first", () => {
  const files = ["tests/main.py", "main.py", "src/domain.py"].map((value) => ({ value }));
  expect(matching(files, "main").map((entry) => entry.value)).toEqual([
    "main.py",
    "tests/main.py",
    "src/domain.py",
  ]);
});

test("without a query everything is listed in its own order", () => {
  const names = ["compact", "stop", "retry", "plan", "build", "rename", "archive", "export", "a-skill"];
  expect(
    matching(
      names.map((value) => ({ value })),
      "",
    ).map((entry) => entry.value),
  ).toEqual(names);
});

test("a choice replaces the word and leaves the rest", () => {
  const trigger = { kind: "file" as const, query: "m", from: 4 };
  expect(replaced("see @m now", trigger, 6, "main.py")).toEqual({ text: "see @main.py  now", caret: 13 });
});
