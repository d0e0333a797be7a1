import { expect, test } from "vitest";
import { Memory } from "../stories/memory.ts";
import { Outbox } from "./outbox.ts";
import type { Send } from "./state.ts";

const send = (client_id: string, state: Send["state"]): Send => ({
  client_id,
  content: [{ type: "text", text: client_id }],
  busy: "queue",
  at: "2026-01-01T00:00:00Z",
  state,
});

test("what was on its way or failed is there after a reload, and says so", () => {
  const storage = new Memory();
  const failed = send("b", { phase: "failed", reason: "Sign in." });
  new Outbox(storage).keep("c", [
    send("a", { phase: "sending" }),
    failed,
    send("d", { phase: "accepted", number: 3 }),
  ]);
  const left = new Outbox(storage).left("c");
  expect(left.map((entry) => entry.client_id)).toEqual(["a", "b"]);
  expect(left[0]?.state.phase).toBe("failed");
  expect(left[1]).toEqual(failed);
});

test("what arrived leaves nothing behind", () => {
  const storage = new Memory();
  const outbox = new Outbox(storage);
  outbox.keep("c", [send("a", { phase: "sending" })]);
  outbox.keep("c", []);
  expect(storage.length).toBe(0);
});
