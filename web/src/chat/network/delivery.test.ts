import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { ChatCard, Sent } from "../../api/types.ts";
import { reduce } from "../model/reducer.ts";
import { type ChatState, emptyChat, type Send } from "../model/state.ts";
import { Delivery } from "./delivery.ts";

const AT = "2026-01-01T00:00:00Z";
const CHAT: ChatCard = {
  id: "c",
  owner_id: "me",
  title: "",
  status: "running",
  created_at: AT,
  updated_at: AT,
};

/** A chat whose server answers as it is told to, one answer to a request. */
class Talk {
  chat: ChatState = emptyChat("c");
  readonly heard: string[] = [];
  /** A status, or nothing when it takes the message. */
  answers: (number | undefined)[] = [];
  readonly delivery = new Delivery({
    sends: () => this.chat.sends,
    post: (send) => this.#take(send),
    dispatch: (event) => {
      this.chat = reduce(this.chat, event);
    },
    again: () => {},
  });

  async #take({ client_id }: Send): Promise<Sent> {
    const status = this.answers.shift();
    if (status !== undefined) throw new ApiError(status, { message: `status ${status}` });
    this.heard.push(client_id);
    return { chat: CHAT, queued: { number: this.heard.length, parts: [], created_at: AT, client_id } };
  }

  says(client_id: string): Promise<void> {
    const send: Send = { client_id, content: [], busy: "queue", at: AT, state: { phase: "sending" } };
    this.chat = reduce(this.chat, { type: "sending", send });
    return this.delivery.run();
  }

  get phases() {
    return this.chat.sends.map((send) => [send.client_id, send.state.phase]);
  }
}

test.each([0, 502, 503, 504, 401])(
  "what meets %s is held, and sent when it is tried again",
  async (status) => {
    const talk = new Talk();
    talk.answers = [status];
    await talk.says("a");
    expect(talk.phases).toEqual([["a", "held"]]);
    expect(talk.delivery.holds).toBe(true);
    await talk.delivery.run();
    expect(talk.heard).toEqual(["a"]);
    expect(talk.phases).toEqual([]);
  },
);

test("what was said later never goes first", async () => {
  const talk = new Talk();
  talk.answers = [0, 0];
  await talk.says("a");
  await talk.says("b");
  expect(talk.phases).toEqual([
    ["a", "held"],
    ["b", "held"],
  ]);
  await talk.says("c");
  expect(talk.heard).toEqual(["a", "b", "c"]);
});

test("what is refused says why, and does not hold up the others", async () => {
  const talk = new Talk();
  talk.answers = [0, 409];
  await talk.says("a");
  await talk.says("b");
  expect(talk.chat.sends[0]?.state).toEqual({ phase: "failed", reason: "status 409" });
  expect(talk.heard).toEqual(["b"]);
});
