/** Every chat the page has heard of, kept current by the watch stream. */

import { useCallback, useSyncExternalStore } from "react";
import { api, BASE } from "../api/client.ts";
import { isAway } from "../api/errors.ts";
import { EventStream } from "../api/stream.ts";
import type { ChatCard, ChatPage, WatchEvent } from "../api/types.ts";
import { useStores } from "../app/stores.ts";

export class Directory {
  cards: ReadonlyMap<string, ChatCard> = new Map();
  /** Whether the server cannot be reached, by any way. */
  away = false;
  #cursor: string | null = null;
  #listeners = new Set<() => void>();
  #stream = new EventStream<WatchEvent>({
    path: `${BASE}/chats/watch`,
    cursor: () => this.#cursor,
    onEvents: (events) => this.hear(events),
    onLink: (link) => link === "open" && this.#reached(true),
    // While nobody tells us what changes, look at what is newest; a server that answers is not away.
    worthRetrying: () =>
      this.#look().then(
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
    if (cards.length === 0) return;
    const next = new Map(this.cards);
    for (const card of cards) next.set(card.id, card);
    this.#set(next);
  }

  hear(events: readonly WatchEvent[]): void {
    const next = new Map(this.cards);
    for (const event of events) {
      this.#cursor = event.cursor;
      if (event.type === "watch_reset") void this.refresh().catch(() => {});
      else if (event.type === "deleted") next.delete(event.chat_id);
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

  async #look(): Promise<void> {
    const page = await api.get<ChatPage>("/chats");
    this.put([...page.items, ...(page.related ?? [])]);
  }

  async refresh(): Promise<void> {
    const page = await api.get<ChatPage>("/chats");
    this.#set(new Map([...page.items, ...(page.related ?? [])].map((card) => [card.id, card])));
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
