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
