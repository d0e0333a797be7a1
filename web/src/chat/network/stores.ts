/** What the page keeps while it is open, made once at the root. */

import { createContext, useContext } from "react";
import { Directory } from "./directory.ts";
import { Drafts } from "./drafts.ts";
import { LiveChats } from "./live.ts";
import { Outbox } from "./outbox.ts";

export interface Stores {
  chats: LiveChats;
  directory: Directory;
  drafts: Drafts;
}

export function makeStores(): Stores {
  return {
    chats: new LiveChats(new Outbox(localStorage)),
    directory: new Directory(),
    drafts: new Drafts(localStorage),
  };
}

export const StoresContext = createContext<Stores | null>(null);

export function useStores(): Stores {
  const stores = useContext(StoresContext);
  if (!stores) throw new Error("The page is not set up.");
  return stores;
}
