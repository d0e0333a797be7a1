/** The reducer, against every schedule a stream may choose. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatEvent, MessagePartEvent } from "../../api/types.ts";
import { ModelServer, STEPS, type Step } from "./modelServer.ts";
import { reduce } from "./reducer.ts";
import { type ChatState, emptyChat, type Send } from "./state.ts";

/** A client that may be cut after any event and may come back from any cursor whose events it still knows. */
class Client {
  chat: ChatState = { ...emptyChat("chat"), connection: "open" };
  held: (string | null)[] = [null];

  hear(events: ChatEvent[]): void {
    for (const event of events) {
      this.chat = reduce(this.chat, event);
      // A reset forgets what was seen, so cursors that say it was are no longer true.
      if (event.type.endsWith("_reset")) this.held.splice(Math.max(1, this.held.indexOf(event.cursor) + 1));
      this.held.push(this.chat.cursor);
    }
    if (this.chat.connection === "gap")
      this.chat = reduce(this.chat, { type: "connection", connection: "open" });
  }
}

function shown(chat: ChatState) {
  const { messages, queue, status, error, retry, action, card } = chat;
  return {
    messages,
    queue,
    status,
    error,
    retry,
    action,
    card,
    preview: chat.preview.parts.map((entry) => entry.part),
  };
}

interface Moment {
  steps: [Step, string][];
  take: number;
  from: number;
  merge: boolean;
  twice: boolean;
}

const step = fc.tuple(fc.constantFrom(...STEPS), fc.string({ minLength: 1, maxLength: 4 }));
const likely = fc.tuple(
  fc.constantFrom<Step>("say", "delta", "delta", "newPart", "commit"),
  fc.constantFrom("a", " ", "\n\n"),
);
const moment: fc.Arbitrary<Moment> = fc.record({
  steps: fc.array(fc.oneof(step, likely), { maxLength: 8 }),
  take: fc.nat(30),
  from: fc.nat(60),
  merge: fc.boolean(),
  twice: fc.boolean(),
});

describe("any schedule gives the same chat", () => {
  test("cut anywhere, resumed from any cursor, merged, split and doubled", () => {
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 12 }), (moments) => {
        const server = new ModelServer();
        const client = new Client();
        for (const { steps, take, from, merge, twice } of moments) {
          for (const [name, text] of steps) server.step(name, text);
          const cursor = client.held.at(-1 - (from % client.held.length)) ?? null;
          const events = server.follow(cursor, merge).slice(0, take);
          client.hear(twice ? events.flatMap((event) => [event, event]) : events);
        }
        client.hear(server.follow(client.chat.cursor, false));
        const fresh = new Client();
        fresh.hear(server.follow(null, true));
        expect(shown(client.chat)).toEqual(shown(fresh.chat));
      }),
      { numRuns: 3000 },
    );
  });

  test("the order of queue, status, retry and metadata within one sync does not matter", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (steps, random) => {
        const server = new ModelServer();
        for (const [name, text] of steps) server.step(name, text);
        const events = server.follow(null, false);
        const free = (event: ChatEvent) => ["queue_update", "status", "retry", "chat"].includes(event.type);
        const mixed = events.filter(free).map((event) => ({ event, at: random.next().value as number }));
        mixed.sort((a, b) => a.at - b.at);
        const reordered = events.map((event) => (free(event) ? (mixed.shift()?.event ?? event) : event));
        const [a, b] = [new Client(), new Client()];
        a.hear(events);
        b.hear(reordered);
        expect(shown(b.chat)).toEqual(shown(a.chat));
      }),
      { numRuns: 1000 },
    );
  });
});

const AT = "2026-01-01T00:00:00Z";
const open: ChatState = { ...emptyChat("chat"), connection: "open" };
const part = (seq: number, text: string, extra: Partial<MessagePartEvent> = {}): MessagePartEvent => ({
  type: "message_part",
  cursor: `1.1.1.1.${seq}`,
  role: "assistant",
  part: { type: "text", index: 0, text },
  history_version: 1,
  attempt: 1,
  seq,
  ...extra,
});
const user = (number: number, client_id?: string): ChatEvent => ({
  type: "message",
  cursor: `m${number}`,
  message: {
    number,
    revision: number,
    created_at: AT,
    role: "user",
    parts: [{ type: "text", text: "hi" }],
    client_id,
  },
});

describe("the answer in flight", () => {
  test("a missing part stops belief until the stream starts again from our cursor", () => {
    let chat = [part(1, "a"), part(3, "c")].reduce<ChatState>(reduce, open);
    expect(chat.connection).toBe("gap");
    chat = reduce(chat, { type: "status", status: "running", cursor: "later" });
    expect(chat.cursor).toBe("1.1.1.1.1");
    chat = [
      { type: "connection", connection: "open" } as const,
      part(2, "b"),
      part(3, "c"),
    ].reduce<ChatState>(reduce, chat);
    expect(chat.preview.parts.map((entry) => entry.part)).toEqual([{ type: "text", text: "abc" }]);
  });

  test("whitespace is kept", () => {
    const chat = [part(1, "a"), part(2, " "), part(3, "\n\n"), part(4, "b")].reduce<ChatState>(reduce, open);
    expect(chat.preview.parts[0]?.part).toEqual({ type: "text", text: "a \n\nb" });
  });

  test("a committed answer replaces it, and a late part of it is dropped", () => {
    const answer = { number: 2, revision: 2, created_at: AT, role: "assistant" as const, parts: [] };
    const events = [part(1, "a"), { type: "message" as const, cursor: "x", message: answer }, part(2, "b")];
    const chat = events.reduce<ChatState>(reduce, open);
    expect(chat.preview.parts).toEqual([]);
    expect(chat.connection).toBe("open");
  });

  test("a result that is reset forgets what came before it", () => {
    const result = (seq: number, result_delta: string, result_reset = false): ChatEvent =>
      part(seq, "", {
        part: { type: "tool_result", index: 0, call_id: "k", tool: "advisor", result_delta, result_reset },
      });
    const chat = [result(1, "wrong"), result(2, "right", true)].reduce<ChatState>(reduce, open);
    expect(chat.preview.parts[0]?.part).toMatchObject({ result: "right" });
  });
});

describe("messages on their way", () => {
  const send: Send = { client_id: "c1", content: [], busy: "queue", at: AT, state: { phase: "sending" } };
  const sending = reduce(open, { type: "sending", send });
  const chatCard = {
    id: "chat",
    owner_id: "me",
    title: "",
    status: "running" as const,
    created_at: AT,
    updated_at: AT,
  };

  test("leave the list when the history shows them", () => {
    expect(reduce(sending, user(1, "c1")).sends).toEqual([]);
  });
  test("leave the list when the queue shows them", () => {
    const queue = [{ number: 1, parts: [], created_at: AT, client_id: "c1" }];
    expect(reduce(sending, { type: "queue_update", queue, cursor: "x" }).sends).toEqual([]);
  });
  test("stay, accepted, until the stream brings them", () => {
    const message = { number: 5, revision: 5, created_at: AT, role: "user" as const, parts: [] };
    const accepted = reduce(sending, { type: "sent", client_id: "c1", sent: { message, chat: chatCard } });
    expect(accepted.sends[0]?.state).toEqual({ phase: "accepted", number: 5 });
    expect(reduce(accepted, user(5)).sends).toEqual([]);
  });
  test("say why they failed, and keep what was typed", () => {
    const failed = reduce(sending, { type: "send_failed", client_id: "c1", reason: "offline" });
    expect(failed.sends[0]).toEqual({ ...send, state: { phase: "failed", reason: "offline" } });
  });
});
