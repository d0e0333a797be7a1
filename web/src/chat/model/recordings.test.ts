/** The server's own streams, as it sent them, through the reducer. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ChatEvent } from "../../api/types.ts";
import { reduce } from "./reducer.ts";
import { type ChatState, emptyChat } from "./state.ts";

const FOLDER = new URL("recordings/", import.meta.url);
const recordings = readdirSync(FOLDER).map((file) => ({
  name: file.replace(".json", ""),
  frames: JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as ChatEvent[][],
}));

const open: ChatState = { ...emptyChat("chat"), connection: "open" };
const play = (events: ChatEvent[], from = open) => events.reduce<ChatState>(reduce, from);
const shown = ({ messages, queue, status, error, retry, action, preview }: ChatState) => ({
  said: messages.map((message) => message.parts),
  queue,
  status,
  error,
  retry,
  action,
  preview: preview.parts,
});

const SAID: Record<string, string> = {
  answer: "An answer in a few pieces, with *markdown* in it.",
  interrupted: "and on",
  queued: "third",
  retried: "back again",
  failed: "it works now",
  edited: "instead",
};

describe.each(recordings)("$name", ({ name, frames }) => {
  const events = frames.flat();
  const end = play(events);

  test("comes to rest with nothing in flight and no gap on the way", () => {
    expect(end.connection).toBe("open");
    expect(shown(end)).toMatchObject({ status: "waiting", queue: [], error: null, retry: null, preview: [] });
    const last = end.messages.findLast((message) => message.role === "assistant");
    if (SAID[name]) expect(last?.parts.at(-1)).toMatchObject({ type: "text", text: SAID[name] });
  });

  test("means the same with every event heard twice", () => {
    const twice = events.flatMap((event) => (event.type.endsWith("_reset") ? [event] : [event, event]));
    expect(shown(play(twice))).toEqual(shown(end));
  });

  test("what is committed is what was shown while it was in flight", () => {
    let chat = open;
    for (const event of events) {
      const before = chat.preview.parts.map((entry) => entry.part);
      chat = reduce(chat, event);
      if (event.type !== "message" || event.message.role !== "assistant" || before.length === 0) continue;
      const texts = (parts: readonly { type: string; text?: string }[]) =>
        parts.flatMap((part) => part.text ?? []);
      expect(texts(event.message.parts as { type: string; text?: string }[])).toEqual(texts(before));
    }
  });
});
