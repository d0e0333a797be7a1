import { expect, test } from "vitest";
import { Memory } from "../../stories/memory.ts";
import type { Send } from "../model/state.ts";
import { Outbox } from "./outbox.ts";

const AT = "2026-01-01T00:00:00Z";
const HOUR_MS = 3_600_000;
const soon = () => Date.parse(AT) + HOUR_MS;

const send = (client_id: string, state: Send["state"], at = AT): Send => ({
  client_id,
  content: [{ type: "text", text: client_id }],
  busy: "queue",
  at,
  state,
});

test("what was on its way after a reload waits to be sent; what was refused says why; what arrived is gone", () => {
  const storage = new Memory();
  const failed = send("b", { phase: "failed", reason: "The queue is full." });
  const sends = [
    send("d", { phase: "sending" }, "2026-01-01T00:00:09Z"),
    send("a", { phase: "held" }),
    failed,
    send("e", { phase: "accepted", number: 3 }),
  ];
  new Outbox(storage).keep("c", [], sends);
  const left = new Outbox(storage, soon).left("c");
  expect(left.map((entry) => [entry.client_id, entry.state.phase])).toEqual([
    ["a", "held"],
    ["b", "failed"],
    ["d", "held"],
  ]);
  expect(left[1]).toEqual(failed);
});

test("what arrived leaves nothing behind", () => {
  const storage = new Memory();
  const outbox = new Outbox(storage);
  const sends = [send("a", { phase: "sending" })];
  outbox.keep("c", [], sends);
  outbox.keep("c", sends, []);
  expect(storage.length).toBe(0);
});

test("two tabs keep what each of them has to send", () => {
  const storage = new Memory();
  new Outbox(storage).keep("c", [], [send("a", { phase: "held" })]);
  new Outbox(storage).keep("c", [], [send("b", { phase: "held" })]);
  expect(new Outbox(storage, soon).left("c").map((entry) => entry.client_id)).toEqual(["a", "b"]);
  expect(new Outbox(storage, soon).chats()).toEqual(["c"]);
});

test("what is older than the server's memory of keys is not sent without asking", () => {
  const storage = new Memory();
  new Outbox(storage).keep("c", [], [send("a", { phase: "held" })]);
  const late = new Outbox(storage, () => Date.parse(AT) + 13 * HOUR_MS);
  expect(late.left("c")[0]?.state.phase).toBe("failed");
  expect(late.chats()).toEqual([]);
});
