/** A part of the history that does not reach its end: what somebody reads who went far back. Pure. */

import type { Message } from "../../api/types.ts";
import type { ChatState, Older } from "./state.ts";

export interface Stretch {
  messages: readonly Message[];
  older: Older;
  newer: Older;
}

/** The messages that are shown: a stretch where somebody went to one, else those that reach the end. */
export function shownMessages(chat: ChatState): readonly Message[] {
  return chat.stretch?.messages ?? chat.messages;
}

/** What is known of more messages before those that are shown. */
export function shownOlder(chat: ChatState): Older {
  return chat.stretch?.older ?? chat.older;
}

/** A stretch that has reached what is held of the end is one with it. */
export function joined(chat: ChatState): ChatState {
  const { stretch, messages } = chat;
  if (!stretch) return chat;
  const last = stretch.messages.at(-1)?.number ?? 0;
  const first = messages[0]?.number ?? Number.POSITIVE_INFINITY;
  if (stretch.newer !== "none" && last < first) return chat;
  const before = stretch.messages.filter((message) => message.number < first);
  return { ...chat, messages: [...before, ...messages], older: stretch.older, stretch: null };
}

/** The stretch after an edit took away what followed a message. */
export function cutStretch(chat: ChatState, after: number): ChatState {
  const { stretch } = chat;
  if (!stretch || (stretch.messages.at(-1)?.number ?? 0) <= after) return chat;
  const messages = stretch.messages.filter((message) => message.number <= after);
  // What comes next follows right upon it.
  return joined({ ...chat, stretch: { ...stretch, messages, newer: "none" } });
}
