import { expect, test } from "vitest";
import type { Message, Part } from "../api/types.ts";
import { editsIn } from "./edits.ts";

const answered = (
  number: number,
  result: string,
  extra: Partial<Extract<Part, { type: "tool_result" }>> = {},
): Message => ({
  number,
  revision: number,
  created_at: "2026-01-01T00:00:00Z",
  role: "tool",
  parts: [{ type: "tool_result", call_id: "k", tool: "edit_files", result, ...extra }],
});

test("the diffs of edits are kept, refused edits and other tools are not", () => {
  const messages = [
    answered(1, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"),
    answered(2, "no such text", { is_error: true }),
    answered(3, "hello", { tool: "execute" }),
    answered(4, "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d"),
  ];
  expect(editsIn(messages).match(/^\+\+\+ .*$/gm)).toEqual(["+++ b/x", "+++ b/y"]);
});

const called = (number: number, tool: string, args: object): Message => ({
  number,
  revision: number,
  created_at: "2026-01-01T00:00:00Z",
  role: "assistant",
  parts: [{ type: "tool_call", call_id: "k", tool, args: JSON.stringify(args) }],
});

test("a file that was written is one new file, with its later edits in it", () => {
  const edits = [{ old_text: "b", new_text: "$&" }];
  const messages = [
    called(1, "write_file", { path: "new.py", content: "a\nb\n" }),
    answered(2, "Wrote it.", { tool: "write_file" }),
    called(3, "edit_files", { files: [{ path: "new.py", edits }] }),
    answered(4, "--- a/new.py\n+++ b/new.py\n@@ -1,2 +1,2 @@\n a\n-b\n+$&"),
    called(5, "write_file", { path: "refused.py", content: "x" }),
    answered(6, "No.", { tool: "write_file", is_error: true }),
  ];
  expect(editsIn(messages)).toBe("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+$&");
});
