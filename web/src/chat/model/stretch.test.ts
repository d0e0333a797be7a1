/** Going far back: a stretch of its own, until both meet. */

import { describe, expect, test } from "vitest";
import type { Message } from "../../api/types.ts";
import { reduce } from "./reducer.ts";
import { type ChatState, emptyChat } from "./state.ts";
import { shownMessages } from "./stretch.ts";

const message = (number: number): Message => ({
  number,
  revision: number,
  created_at: "2026-01-01T00:00:00Z",
  role: number % 2 ? "user" : "assistant",
  parts: [{ type: "text", text: `${number}` }],
});
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const held: ChatState = {
  ...emptyChat("c"),
  connection: "open",
  status: "waiting",
  messages: range(90, 100),
};
const back = reduce(held, {
  type: "stretch",
  stretch: { messages: range(1, 20), older: "none", newer: "more" },
});
const numbers = (chat: ChatState) => shownMessages(chat).map((entry) => entry.number);
const upTo = (from: number, to: number) => range(from, to).map((entry) => entry.number);

describe("a stretch", () => {
  test("is shown instead of the end, which goes on behind it", () => {
    const later = reduce(back, { type: "message", cursor: "m", message: message(101) });
    expect(numbers(later)).toEqual(upTo(1, 20));
    expect(numbers(reduce(later, { type: "stretch", stretch: null }))).toEqual(upTo(90, 101));
  });

  test("becomes one with the end where they meet", () => {
    const met = reduce(back, { type: "stretched", newer: "more", messages: range(21, 95) });
    expect(met.stretch).toBeNull();
    expect(met.older).toBe("none");
    expect(numbers(met)).toEqual(upTo(1, 100));
  });

  test("that has the whole rest is the chat, also before anything was heard", () => {
    const whole = { messages: range(1, 3), older: "none", newer: "none" } as const;
    const chat = reduce({ ...emptyChat("c"), connection: "open" }, { type: "stretch", stretch: whole });
    expect(chat.stretch).toBeNull();
    const heard = [2, 3].reduce<ChatState>(
      (before, number) => reduce(before, { type: "message", cursor: `${number}`, message: message(number) }),
      chat,
    );
    expect(numbers(heard)).toEqual([1, 2, 3]);
  });

  test("goes on from an edit in it: what was cut off is gone, and what is said next follows", () => {
    const cut = reduce(back, { type: "history_reset", cursor: "h", after: 4 });
    expect(cut.stretch).toBeNull();
    const said = reduce(cut, { type: "message", cursor: "m", message: message(101) });
    expect(numbers(said)).toEqual([1, 2, 3, 4, 101]);
  });

  test("is left alone by an edit after it", () => {
    const cut = reduce(back, { type: "history_reset", cursor: "h", after: 95 });
    expect(numbers(cut)).toEqual(upTo(1, 20));
    expect(cut.messages.map((entry) => entry.number)).toEqual(upTo(90, 95));
  });
});
