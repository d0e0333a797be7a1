/** The one way a chat changes on the page: (chat, event) → chat. Pure; no React, no network, no clock. */

import type { ChatEvent, Message, QueuedMessage, Sent } from "../../api/types.ts";
import { ended, fold, NOTHING } from "./preview.ts";
import type { ChatState, Connection, Older, Send } from "./state.ts";
import { cutStretch, joined, type Stretch } from "./stretch.ts";

/** What happens on this side of the wire. */
export type LocalEvent =
  | { type: "connection"; connection: Exclude<Connection, "gap"> }
  | { type: "older"; older: Older; messages: readonly Message[] }
  | { type: "stretch"; stretch: Stretch | null }
  | { type: "stretched"; older?: Older; newer?: Older; messages: readonly Message[] }
  | { type: "sending"; send: Send }
  | { type: "sent"; client_id: string; sent: Sent }
  | { type: "send_failed"; client_id: string; reason: string }
  | { type: "sends_held" }
  | { type: "send_dropped"; client_id: string };

export function reduce(chat: ChatState, event: ChatEvent | LocalEvent): ChatState {
  switch (event.type) {
    case "connection":
      // Who is here, a new connection says anew.
      return {
        ...chat,
        connection: event.connection,
        people: event.connection === "open" ? chat.people : [],
      };
    case "older":
      return { ...chat, older: event.older, messages: event.messages.reduce(inserted, chat.messages) };
    case "stretch":
      return joined({ ...chat, stretch: event.stretch });
    case "stretched":
      return stretched(chat, event);
    case "sending":
      return {
        ...chat,
        sends: [...chat.sends.filter((send) => send.client_id !== event.send.client_id), event.send],
        spoken: chat.spoken + 1,
      };
    case "sent":
      return sent(chat, event.client_id, event.sent);
    case "send_failed":
      return {
        ...chat,
        sends: withState(chat.sends, event.client_id, { phase: "failed", reason: event.reason }),
      };
    case "sends_held":
      return { ...chat, sends: chat.sends.map(held) };
    case "send_dropped":
      return { ...chat, sends: chat.sends.filter((send) => send.client_id !== event.client_id) };
    default:
      return chat.connection === "gap" ? chat : heard(chat, event);
  }
}

/** One event of the stream. Every event that is believed moves the cursor. */
function heard(chat: ChatState, event: ChatEvent): ChatState {
  const cursor = event.cursor;
  switch (event.type) {
    case "message":
      return { ...committed(chat, event.message), cursor };
    case "message_part": {
      const folded = fold(chat.preview, event);
      if (folded.kind === "gap") return { ...chat, connection: "gap" };
      return folded.kind === "stale" ? chat : { ...chat, preview: folded.preview, cursor };
    }
    case "status":
      return { ...chat, status: event.status, cursor };
    case "queue_update":
      return { ...chat, queue: event.queue, sends: unsent(chat.sends, event.queue), cursor };
    case "retry":
      return { ...chat, retry: event.retry, cursor };
    case "error":
      return { ...chat, error: event.error, cursor };
    case "action_required":
      return { ...chat, action: event.action, cursor };
    case "preview_reset":
      return { ...chat, preview: { ...chat.preview, seq: 0, parts: [] }, cursor };
    case "history_reset":
      return { ...cut(chat, event.after), cursor };
    case "chat":
      return { ...chat, card: event.chat, cursor };
    case "presence":
      return { ...chat, people: event.people, cursor };
    default:
      return unknown(chat, event);
  }
}

/** A newer server may say things this page does not know; they change nothing, and the cursor still moves. */
function unknown(chat: ChatState, event: never): ChatState {
  return { ...chat, cursor: (event as { cursor?: string }).cursor ?? chat.cursor };
}

function committed(chat: ChatState, message: Message): ChatState {
  const messages = inserted(chat.messages, message);
  if (messages === chat.messages) return chat;
  const revised = messages.length === chat.messages.length;
  return joined({
    ...chat,
    messages,
    preview: revised ? chat.preview : ended(chat.preview, message.revision),
    sends: chat.sends.filter((send) => send.client_id !== message.client_id && !coveredBy(send, message)),
  });
}

function stretched(chat: ChatState, { older, newer, messages }: Stretched): ChatState {
  const { stretch } = chat;
  if (!stretch) return chat;
  return joined({
    ...chat,
    stretch: {
      older: older ?? stretch.older,
      newer: newer ?? stretch.newer,
      messages: messages.reduce(inserted, stretch.messages),
    },
  });
}

type Stretched = Extract<LocalEvent, { type: "stretched" }>;

function coveredBy(send: Send, message: Message): boolean {
  return send.state.phase === "accepted" && send.state.number <= message.number;
}

/** The messages with one more, in order of number. An older revision of a known one changes nothing. */
function inserted(messages: readonly Message[], message: Message): readonly Message[] {
  const at = messages.findLastIndex((known) => known.number <= message.number);
  const known = messages[at];
  if (known?.number !== message.number) return messages.toSpliced(at + 1, 0, message);
  return known.revision >= message.revision ? messages : messages.with(at, message);
}

function cut(chat: ChatState, after: number): ChatState {
  const messages = chat.messages.filter((message) => message.number <= after);
  const revision = messages.reduce((newest, message) => Math.max(newest, message.revision), 0);
  const sends = chat.sends.filter((send) => send.state.phase !== "accepted");
  const left = { ...chat, messages, sends, preview: { ...NOTHING, history_version: revision } };
  return cutStretch(left, after);
}

function sent(chat: ChatState, client_id: string, answer: Sent): ChatState {
  const { message, queued } = answer;
  if (queued) {
    const queue = chat.queue.some((item) => item.number === queued.number)
      ? chat.queue
      : [...chat.queue, queued];
    return { ...chat, queue, sends: chat.sends.filter((send) => send.client_id !== client_id) };
  }
  const known = message && chat.messages.some((other) => other.number === message.number);
  if (!message || known) return { ...chat, sends: chat.sends.filter((send) => send.client_id !== client_id) };
  return { ...chat, sends: withState(chat.sends, client_id, { phase: "accepted", number: message.number }) };
}

/** What was on its way waits with it: a later message never goes first. */
function held(send: Send): Send {
  return send.state.phase === "sending" ? { ...send, state: { phase: "held" } } : send;
}

function withState(sends: readonly Send[], client_id: string, state: Send["state"]): readonly Send[] {
  return sends.map((send) => (send.client_id === client_id ? { ...send, state } : send));
}

function unsent(sends: readonly Send[], queue: readonly QueuedMessage[]): readonly Send[] {
  return sends.filter((send) => !queue.some((item) => item.client_id === send.client_id));
}
