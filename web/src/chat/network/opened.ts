/** Which rows of a chat somebody opened: a row that is scrolled away is drawn anew later, and is as it was left. */

import { createContext, useCallback, useContext, useState, useSyncExternalStore } from "react";
import { LiveChatContext } from "./hooks.ts";

export class OpenRows {
  #open: ReadonlyMap<string, boolean> = new Map();
  #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get = (key: string): boolean | undefined => this.#open.get(key);

  /** All of them, as another map after every change. */
  all = (): ReadonlyMap<string, boolean> => this.#open;

  put(key: string, open: boolean): void {
    if (this.#open.get(key) === open) return;
    this.#open = new Map(this.#open).set(key, open);
    for (const listener of this.#listeners) listener();
  }
}

/** The row that something is drawn in, for what opens within it. */
export const RowContext = createContext("");

/** Whether a row is open, and the way to change it. Outside of a transcript, or without a key, it is forgotten. */
export function useOpen(key: string): [boolean, (open: boolean) => void] {
  const live = useContext(LiveChatContext);
  const [own] = useState(() => new OpenRows());
  const rows = (key && live?.open) || own;
  const open = useSyncExternalStore(rows.subscribe, () => rows.get(key) ?? false);
  return [open, useCallback((next: boolean) => rows.put(key, next), [rows, key])];
}
