/** What of a turn that is over is folded, and what stands. */

import { expect, test } from "vitest";
import type { Message, Part } from "../../api/types.ts";
import { folded, keptOpen } from "./folds.ts";
import { committedRows } from "./rows.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const message = (number: number, role: Message["role"], parts: Part[], extra = {}): Message => ({
  number,
  revision: number,
  created_at: at(number),
  role,
  parts,
  ...extra,
});
const says = (text: string): Part => ({ type: "text", text });
const call = (call_id: string, tool: string): Part => ({ type: "tool_call", call_id, tool, args: "{}" });
const thinks: Part = { type: "reasoning", text: "hm" };
const closed = () => false;

function kinds(messages: Message[], isOpen: (key: string) => boolean = closed): string[] {
  return folded(committedRows(messages, "waiting"), isOpen).rows.map((row) => row.kind);
}

const worked = [
  message(1, "user", [says("go")]),
  message(2, "assistant", [thinks, says("I'll look."), call("a", "read_file")]),
  message(3, "assistant", [call("b", "execute")]),
  message(4, "assistant", [thinks, says("The answer.")]),
];

test("the work of a turn is one line, and the answer stands", () => {
  expect(kinds(worked)).toEqual(["user", "work", "text", "turn"]);
});

test("opened, the line stands above all of it, and no row changes its place", () => {
  const rows = committedRows(worked, "waiting");
  const { rows: drawn, lines, within } = folded(rows, () => true);
  expect(drawn).toEqual(rows);
  expect(drawn.map((row) => row.kind)).toEqual([
    "user",
    "reasoning",
    "text",
    "calls",
    "calls",
    "reasoning",
    "text",
    "turn",
  ]);
  expect(new Set(within.values())).toEqual(new Set(["w1.0"]));
  expect(within.has(drawn[6]?.key ?? "")).toBe(false);
  expect([...lines].map(([head, line]) => [head, line.key])).toEqual([["1.0", "w1.0"]]);
});

test("a single row is a line already, and a turn at work is shown as it works", () => {
  expect(kinds([message(1, "user", [says("go")]), message(2, "assistant", [thinks, says("Yes.")])])).toEqual([
    "user",
    "reasoning",
    "text",
    "turn",
  ]);
  expect(folded(committedRows(worked, "running"), closed).within.size).toBe(0);
});

test("what somebody answers or gets stands between what is folded", () => {
  const asked = [
    message(1, "user", [says("go")]),
    message(2, "assistant", [thinks, call("a", "read_file")]),
    message(3, "assistant", [call("q", "ask_user_question")]),
    message(4, "assistant", [thinks, call("b", "execute")]),
    message(5, "assistant", [says("Done.")]),
  ];
  expect(kinds(asked)).toEqual(["user", "work", "calls", "work", "text", "turn"]);
});

test("an answer that is followed by more work stands, too", () => {
  const later = [
    message(1, "user", [says("go")]),
    message(2, "assistant", [says("The answer."), call("a", "execute")]),
    message(3, "assistant", [thinks, call("b", "read_file")]),
  ];
  expect(kinds(later)).toEqual(["user", "text", "work", "turn"]);
});

test("an interrupted turn is left as it was", () => {
  const cut = worked.with(3, message(4, "assistant", [says("The ans")], { finish_reason: "interrupted" }));
  expect(kinds(cut)).not.toContain("work");
});

test("a line stays open when it comes over what somebody reads", () => {
  const before = committedRows(worked, "running");
  const after = committedRows(worked, "waiting");
  expect(keptOpen(before, after, (row) => row.kind === "calls")).toEqual(["w1.0"]);
  expect(keptOpen(before, after, () => false)).toEqual([]);
  // What was loaded a moment ago nobody reads, and a line that was there is as somebody left it.
  expect(keptOpen([], after, () => true)).toEqual([]);
  expect(keptOpen(after, after, () => true)).toEqual([]);
});
