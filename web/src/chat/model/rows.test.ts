/** The transcript's rows: pairing, grouping, footers, and a commit that moves nothing. */

import { describe, expect, test } from "vitest";
import type { Message, Part } from "../../api/types.ts";
import { NOTHING, type Preview } from "./preview.ts";
import { committedRows, liveRows } from "./rows.ts";
import { durationOf } from "./turn.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const message = (
  number: number,
  role: Message["role"],
  parts: Part[],
  extra: Partial<Message> = {},
): Message => ({
  number,
  revision: number,
  created_at: at(number),
  role,
  parts,
  ...extra,
});
const says = (text: string): Part => ({ type: "text", text });
const call = (call_id: string, tool: string, args = "{}"): Part => ({
  type: "tool_call",
  call_id,
  tool,
  args,
});
const result = (call_id: string, tool: string, text: string): Part => ({
  type: "tool_result",
  call_id,
  tool,
  result: text,
});
const live = (role: "assistant" | "tool", ...parts: Part[]): Preview => ({
  ...NOTHING,
  role,
  seq: parts.length,
  parts: parts.map((part, index) => ({ index, part, done: false })),
});

describe("calls and results", () => {
  const history = [
    message(1, "user", [says("go")]),
    message(2, "assistant", [call("a", "read_file"), call("b", "read_file"), call("c", "execute")]),
    message(3, "tool", [result("a", "read_file", "one")]),
    message(4, "tool", [result("b", "read_file", "two")]),
  ];

  test("a run of one kind is one row, and each result finds its call", () => {
    const rows = committedRows(history, "running");
    expect(rows.map((row) => row.kind)).toEqual(["user", "calls", "calls"]);
    const first = rows[1];
    if (first?.kind !== "calls") throw new Error("no calls");
    expect(first.calls.map((entry) => entry.state)).toEqual([
      { phase: "done", output: "one", media: [] },
      { phase: "done", output: "two", media: [] },
    ]);
  });

  test("a repeated call id answers the newest call", () => {
    const again = [
      ...history,
      message(5, "assistant", [call("a", "spawn_agent")]),
      message(6, "tool", [result("a", "spawn_agent", "x")]),
    ];
    const rows = committedRows(again, "running");
    const last = rows.at(-1);
    expect(last?.kind === "calls" && last.calls[0]?.state).toEqual({ phase: "done", output: "x", media: [] });
  });

  test("live output shows on the committed call, and the committed rows stay as they were", () => {
    const committed = committedRows(history, "running");
    const rows = liveRows(committed, 4, live("tool", result("c", "execute", "hel")), []);
    const row = rows.at(-1);
    expect(row?.kind === "calls" && row.calls[0]?.state).toEqual({ phase: "running", output: "hel" });
    const kept = committed.at(-1);
    expect(kept?.kind === "calls" && kept.calls[0]?.state).toEqual({ phase: "running", output: "" });
  });
});

test("committing an answer keeps every row's key, so that nothing jumps", () => {
  const asked = [message(7, "user", [says("hi")])];
  const parts: Part[] = [
    { type: "reasoning", text: "hm", completed_at: at(1) },
    says("hello"),
    call("k", "execute"),
  ];
  const before = liveRows(committedRows(asked, "running"), 7, live("assistant", ...parts), []);
  const after = committedRows([...asked, message(8, "assistant", parts)], "running");
  expect(after.map((row) => row.key)).toEqual(before.map((row) => row.key));
});

test("an optimistic message keeps its key when it is committed", () => {
  const send = {
    client_id: "x",
    content: [],
    busy: "queue" as const,
    at: at(1),
    state: { phase: "sending" as const },
  };
  const before = liveRows([], 0, NOTHING, [send]);
  const after = committedRows([message(1, "user", [says("hi")], { client_id: "x" })], "running");
  expect(after[0]?.key).toBe(before[0]?.key);
});

test("a turn's footer adds up its answers and says how it ended", () => {
  const edit = call("e", "edit_files", JSON.stringify({ files: [{ path: "a.py" }, { path: "b.py" }] }));
  const rows = committedRows(
    [
      message(1, "user", [says("go")]),
      message(2, "assistant", [edit], { cost: 5, usage: { input: 10, output: 2 }, model: "m" }),
      message(3, "tool", [result("e", "edit_files", "ok")]),
      message(4, "assistant", [says("done")], {
        cost: 7,
        usage: { input: 20, output: 3 },
        finish_reason: "interrupted",
      }),
    ],
    "waiting",
  );
  const footer = rows.at(-1);
  if (footer?.kind !== "turn") throw new Error("no footer");
  expect(footer.turn).toMatchObject({
    cost: 12,
    input: 30,
    output: 5,
    files: ["a.py", "b.py"],
    ending: "interrupted",
  });
});

test("an answer that was cut stays cut after the notice that says so, which is not shown twice", () => {
  const notice: Part = { type: "notice", kind: "length", text: "The answer was cut." };
  const rows = committedRows(
    [
      message(1, "user", [says("go")]),
      message(2, "assistant", [says("half of")], { finish_reason: "length" }),
      message(3, "assistant", [notice], { kind: "notice" }),
    ],
    "waiting",
  );
  expect(rows.map((row) => row.kind)).toEqual(["user", "text", "turn"]);
  const footer = rows.at(-1);
  expect(footer?.kind === "turn" && [footer.turn.ending, footer.turn.answers]).toEqual(["cut", 1]);
});

test("a summary by hand does not change how long the turn before it took", () => {
  const rows = committedRows(
    [
      message(1, "user", [says("go")]),
      message(2, "assistant", [says("done")]),
      message(50, "assistant", [call("s", "chat_summarized")], { kind: "compaction" }),
      message(59, "tool", [result("s", "chat_summarized", "{}")], { kind: "compaction" }),
    ],
    "waiting",
  );
  const footer = rows.at(-1);
  expect(footer?.kind === "turn" && durationOf(footer.turn)).toBe(1_000);
});

test("in a parked chat an unanswered call waits, it does not run", () => {
  const rows = committedRows(
    [message(1, "user", [says("go")]), message(2, "assistant", [call("k", "execute")])],
    "requires_action",
  );
  const row = rows.at(-1);
  expect(row?.kind === "calls" && row.calls[0]?.state).toEqual({ phase: "waiting" });
});
