import { expect, test } from "vitest";
import { isBusy, phaseOf } from "./phase.ts";
import { type ChatState, emptyChat, type Send } from "./state.ts";

function saying(state: Send["state"]): ChatState {
  const send: Send = { client_id: "s", content: [], busy: "queue", at: "2026-01-01T00:00:00Z", state };
  return { ...emptyChat("c1"), connection: "open", status: "waiting", sends: [send] };
}

test("a chat works from the moment something is said until it is answered, without a rest in between", () => {
  expect(phaseOf(saying({ phase: "sending" })).kind).toBe("starting");
  expect(phaseOf(saying({ phase: "accepted", number: 1 })).kind).toBe("starting");
});

test("a message that could not be sent leaves the chat at rest", () => {
  expect(isBusy(phaseOf(saying({ phase: "failed", reason: "gone" })))).toBe(false);
});
