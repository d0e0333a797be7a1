/** What was said and has not reached the server, kept by the browser: neither a reload nor a new sign-in loses it. */

import { t } from "../../language/catalogue.ts";
import type { Send } from "../model/state.ts";

/** The server knows a message by its key for a day. After half of that, sending it again could say it twice. */
const SAFE_MS = 12 * 3_600_000;
const LONG_AGO = t("This message was not sent. Do you still want to send it?");

/** Each message has a place of its own, so that tabs do not overwrite what others keep. */
const PLACE = /^send:([^:]+):/;
const placeOf = (chat: string, send: Send) => `send:${chat}:${send.client_id}`;

export class Outbox {
  readonly #storage: Storage;
  readonly #now: () => number;

  constructor(storage: Storage, now = Date.now) {
    this.#storage = storage;
    this.#now = now;
  }

  /** What is left of an earlier visit, in the order it was said. Sending it again is safe: its id is the same. */
  left(chat: string): readonly Send[] {
    const places = this.#places().filter((place) => PLACE.exec(place)?.[1] === chat);
    const sends = places.map((place) => JSON.parse(this.#storage.getItem(place) ?? "") as Send);
    return sends.map((send) => this.#stranded(send)).sort((a, b) => a.at.localeCompare(b.at));
  }

  /** The chats in which something waits to be sent. */
  chats(): string[] {
    const chats = new Set(this.#places().flatMap((place) => PLACE.exec(place)?.[1] ?? []));
    return [...chats].filter((chat) => this.left(chat).some((send) => send.state.phase === "held"));
  }

  keep(chat: string, before: readonly Send[], after: readonly Send[]): void {
    const open = after.filter((send) => send.state.phase !== "accepted");
    for (const send of before)
      if (!open.some((other) => other.client_id === send.client_id))
        this.#storage.removeItem(placeOf(chat, send));
    for (const send of open) if (!before.includes(send)) this.#put(placeOf(chat, send), send);
  }

  #put(place: string, send: Send): void {
    try {
      this.#storage.setItem(place, JSON.stringify(send));
    } catch {
      // The browser's storage is full: the page still shows it.
    }
  }

  #places(): string[] {
    return Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at) ?? "");
  }

  #stranded(send: Send): Send {
    if (send.state.phase === "failed") return send;
    const old = this.#now() - Date.parse(send.at) > SAFE_MS;
    return { ...send, state: old ? { phase: "failed", reason: LONG_AGO } : { phase: "held" } };
  }
}
