/** What was said and has not reached the server, kept by the browser: neither a reload nor a new sign-in loses it. */

import type { Send } from "./state.ts";

const CUT_OFF = "The page was closed before the server had it.";

export class Outbox {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** What is left of an earlier visit. Sending it again is safe: its id is the same. */
  left(chat: string): readonly Send[] {
    const kept = this.#storage.getItem(`sends:${chat}`);
    return kept ? (JSON.parse(kept) as Send[]).map(stranded) : [];
  }

  keep(chat: string, sends: readonly Send[]): void {
    const open = sends.filter((send) => send.state.phase !== "accepted");
    try {
      if (open.length === 0) this.#storage.removeItem(`sends:${chat}`);
      else this.#storage.setItem(`sends:${chat}`, JSON.stringify(open));
    } catch {
      // The browser's storage is full: the page still shows it.
    }
  }
}

function stranded(send: Send): Send {
  return send.state.phase === "failed" ? send : { ...send, state: { phase: "failed", reason: CUT_OFF } };
}
