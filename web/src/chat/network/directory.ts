/** Every chat the page has heard of, kept current by the watch stream. */

import { useCallback, useSyncExternalStore } from "react";
import { api, BASE } from "../../api/client.ts";
import { isAway } from "../../api/errors.ts";
import { EventStream } from "../../api/stream.ts";
import type { ChatCard, ChatPage, WatchEvent } from "../../api/types.ts";
import { useStores } from "./stores.ts";

export class Directory {
  cards: ReadonlyMap<string, ChatCard> = new Map();
  /** Whether the server cannot be reached, by any way. */
  away = false;
  #cursor: string | null = null;
  /** Every question and every word of a card has a number; what a card says is as new as its number. */
  #count = 0;
  #newest = new Map<string, number>();
  #lists = new Set<() => Promise<unknown>>();
  #listeners = new Set<() => void>();
  #stream = new EventStream<WatchEvent>({
    path: `${BASE}/chats/watch`,
    cursor: () => this.#cursor,
    onEvents: (events) => this.hear(events),
    onLink: (link) => link === "open" && this.#reached(true),
    // While nobody tells us what changes, look at what is newest; a server that answers is not away.
    worthRetrying: () =>
      this.read().then(
        () => this.#reached(true),
        (error: unknown) => this.#reached(!isAway(error)),
      ),
  });

  watch(): () => void {
    this.#stream.start();
    return () => this.#stream.stop();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A card replaces the one before: what it leaves out is at its default, not unchanged. */
  put(cards: readonly ChatCard[]): void {
    const next = new Map(this.cards);
    for (const card of cards) {
      this.#newest.set(card.id, ++this.#count);
      next.set(card.id, card);
    }
    if (cards.length > 0) this.#set(next);
  }

  hear(events: readonly WatchEvent[]): void {
    const next = new Map(this.cards);
    for (const event of events) {
      this.#cursor = event.cursor;
      if (event.type === "watch_reset") {
        void this.#refresh().catch(() => {});
        continue;
      }
      this.#newest.set(event.chat_id, ++this.#count);
      if (event.type === "deleted") next.delete(event.chat_id);
      else if (event.chat) next.set(event.chat_id, event.chat);
    }
    this.#set(next);
  }

  #reached(reached: boolean): true {
    if (this.away === reached) {
      this.away = !reached;
      for (const listener of this.#listeners) listener();
    }
    return true;
  }

  /** A page of the list. What was said of a chat while the answer was on its way is newer, and stays. */
  async read(query: Record<string, string | undefined> = {}): Promise<ChatPage> {
    const asked = ++this.#count;
    const page = await api.get("/chats", query);
    const next = new Map(this.cards);
    for (const card of [...page.items, ...(page.related ?? [])]) {
      if (this.#isNewer(card.id, asked)) continue;
      this.#newest.set(card.id, asked);
      next.set(card.id, card);
    }
    this.#set(next);
    return page;
  }

  /** Have a list read again when nobody can tell what changed. */
  reads(list: () => Promise<unknown>): () => void {
    this.#lists.add(list);
    return () => this.#lists.delete(list);
  }

  /** Read again what is shown, and forget what nobody speaks of any more. */
  async #refresh(): Promise<void> {
    const asked = this.#count;
    await Promise.all(this.#lists.size > 0 ? [...this.#lists].map((list) => list()) : [this.read()]);
    this.#set(new Map([...this.cards].filter(([id]) => this.#isNewer(id, asked))));
  }

  #isNewer(id: string, number: number): boolean {
    return (this.#newest.get(id) ?? 0) > number;
  }

  #set(cards: ReadonlyMap<string, ChatCard>): void {
    this.cards = cards;
    for (const listener of this.#listeners) listener();
  }
}

export function useAway(): boolean {
  const { directory } = useStores();
  return useSyncExternalStore(directory.subscribe, () => directory.away);
}

export function useCards(): ReadonlyMap<string, ChatCard> {
  const { directory } = useStores();
  return useSyncExternalStore(directory.subscribe, () => directory.cards);
}

export function useCard(id: string): ChatCard | undefined {
  const { directory } = useStores();
  const read = useCallback(() => directory.cards.get(id), [directory, id]);
  return useSyncExternalStore(directory.subscribe, read);
}
