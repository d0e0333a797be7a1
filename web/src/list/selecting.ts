/** Which chats of the list are selected. */

import { createContext, useState } from "react";

export interface Selecting {
  /** Nothing while nobody selects. */
  ids: ReadonlySet<string> | null;
  set: (ids: ReadonlySet<string> | null) => void;
}

export const SelectingContext = createContext<Selecting>({ ids: null, set: () => {} });

export function useSelecting(): Selecting {
  const [ids, set] = useState<ReadonlySet<string> | null>(null);
  return { ids, set };
}

export function flipped(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
