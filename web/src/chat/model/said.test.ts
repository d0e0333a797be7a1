import { expect, test } from "vitest";
import type { Message, QueuedMessage } from "../../api/types.ts";
import { saidIn } from "./said.ts";
import type { Send } from "./state.ts";

const words = (text: string) => [{ type: "text" as const, text }];
const message = (number: number, role: string, text: string, kind?: string) =>
  ({ number, role, kind, revision: number, parts: words(text) }) as unknown as Message;
const nothing = { sends: [], queue: [], messages: [] };

test("what was just said is known before the server lists it", () => {
  const sends = [{ client_id: "s", content: words("on its way") }] as unknown as Send[];
  const queue = [{ number: 1, parts: words("waiting") }] as unknown as QueuedMessage[];
  const messages = [message(1, "user", "first"), message(2, "assistant", "an answer")];
  expect(saidIn({ sends, queue, messages }, [])).toEqual(["on its way", "waiting", "first"]);
});

test("the list adds only what is older than the page holds", () => {
  const listed = [
    { number: 7, text: "third" },
    { number: 5, text: "second" },
    { number: 1, text: "first" },
  ];
  const messages = [message(5, "user", "second"), message(6, "assistant", "answer")];
  expect(saidIn({ ...nothing, messages }, listed)).toEqual(["second", "first"]);
  expect(saidIn(nothing, listed)).toEqual(["third", "second", "first"]);
});

test("rows that nobody typed and messages without words are left out", () => {
  const messages = [message(1, "user", ""), message(2, "user", "mind the budget", "hook")];
  expect(saidIn({ ...nothing, messages }, [])).toEqual([]);
});
