/** Which row a message and a text are in. */

import { expect, test } from "vitest";
import type { Message, Part } from "../../api/types.ts";
import { patternOf, patternOfAny, placeOf, questionFrom } from "./places.ts";
import { committedRows } from "./rows.ts";

const message = (number: number, role: Message["role"], parts: Part[]): Message => ({
  number,
  revision: number,
  created_at: "2026-01-01T00:00:00Z",
  role,
  parts,
});
const says = (text: string): Part => ({ type: "text", text });
const rows = committedRows(
  [
    message(3, "user", [says("Where is it?")]),
    message(4, "assistant", [
      { type: "reasoning", text: "A heron, perhaps." },
      says("I look."),
      { type: "tool_call", call_id: "a", tool: "execute", args: '{"command":"ls nests"}' },
    ]),
    message(5, "tool", [{ type: "tool_result", call_id: "a", tool: "execute", result: "heron.txt" }]),
    message(6, "assistant", [says("In the nest.")]),
    message(7, "user", [says("Thanks.")]),
  ],
  "waiting",
);
const kindAt = (at: number) => `${rows[at]?.kind} ${rows[at]?.number}`;

test("of several rows of a message, the one that says it", () => {
  expect(kindAt(placeOf(rows, 4, patternOf("HERON")))).toBe("reasoning 4");
  expect(kindAt(placeOf(rows, 4, patternOf("i  look")))).toBe("text 4");
  expect(kindAt(placeOf(rows, 4, patternOf("ls nests")))).toBe("calls 4");
  expect(kindAt(placeOf(rows, 4, null))).toBe("reasoning 4");
});

test("a result stands in the row of its call", () => {
  expect(kindAt(placeOf(rows, 5, patternOf("heron.txt")))).toBe("calls 4");
});

test("signs stand for themselves, and nothing is no pattern", () => {
  expect("1.5 (new)".match(patternOf("1.5 (new)") ?? /x/)).toHaveLength(1);
  expect("125 (new)".match(patternOf("1.5 (new)") ?? /x/)).toBeNull();
  expect(patternOf("  ")).toBeNull();
  expect("one two".match(patternOfAny(["two", "one", ""]) ?? /x/)).toEqual(["one", "two"]);
});

test("questions before and after a row", () => {
  expect(kindAt(questionFrom(rows, 2, -1))).toBe("user 3");
  expect(kindAt(questionFrom(rows, 2, 1))).toBe("user 7");
  expect(questionFrom(rows, 0, -1)).toBe(-1);
});
