import { expect, test } from "vitest";
import type { Message } from "../../api/types.ts";
import { settled } from "./settled.ts";

const created_at = "2026-01-01T00:00:00Z";
const asking = {
  number: 2,
  role: "assistant",
  created_at,
  parts: [{ type: "tool_call", call_id: "a", tool: "ask_user_question", args: "{}" }],
} as unknown as Message;
const saying = {
  number: 3,
  role: "user",
  created_at,
  parts: [{ type: "text", text: "Blue" }],
} as unknown as Message;

test("a question is open until somebody says something", () => {
  expect(settled({ messages: [asking], sends: [] }, "a")).toBe(false);
  expect(settled({ messages: [asking, saying], sends: [] }, "a")).toBe(true);
});

test("an answer on its way settles it; one that failed does not", () => {
  const send = { client_id: "c", content: [], busy: "queue", at: created_at } as const;
  const sending = { ...send, state: { phase: "sending" } } as const;
  const failed = { ...send, state: { phase: "failed", reason: "gone" } } as const;
  expect(settled({ messages: [asking], sends: [{ ...sending, content: [] }] }, "a")).toBe(true);
  expect(settled({ messages: [asking], sends: [{ ...failed, content: [] }] }, "a")).toBe(false);
});
