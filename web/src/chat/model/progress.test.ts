import { expect, test } from "vitest";
import type { Message, Part } from "../../api/types.ts";
import { NOTHING } from "./preview.ts";
import { progressOf } from "./progress.ts";

const message = (number: number, role: Message["role"], output?: number): Message => ({
  number,
  revision: number,
  created_at: `2026-01-01T00:00:0${number}Z`,
  role,
  parts: [],
  usage: output === undefined ? undefined : { input: 10, output },
});
const flying = (role: "assistant" | "tool", part: Part) => ({
  ...NOTHING,
  role,
  parts: [{ index: 0, part, done: false }],
});
const before = [message(1, "user"), message(2, "assistant", 500)];
const turn = [...before, message(3, "user"), message(4, "assistant", 30), message(5, "tool")];

test("a turn counts from what was said last, and the answer in flight is a step of it", () => {
  const preview = flying("assistant", { type: "text", text: "twelve chars" });
  expect(progressOf({ messages: turn, preview })).toEqual({
    started_at: "2026-01-01T00:00:03Z",
    step: 2,
    output: 33,
  });
});

test("tools at work belong to the step that called them", () => {
  const result: Part = { type: "tool_result", call_id: "a", tool: "execute", result: "much output" };
  expect(progressOf({ messages: turn.slice(0, 4), preview: flying("tool", result) })).toMatchObject({
    step: 1,
    output: 30,
  });
});

test("the first step is under way before anything came", () => {
  expect(progressOf({ messages: [message(1, "user")], preview: NOTHING })).toMatchObject({
    step: 1,
    output: 0,
  });
});
