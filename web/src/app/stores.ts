/** What the page keeps while it is open, made once at the root. */

import { createContext, useContext } from "react";
import { LiveChats } from "../chat/live.ts";
import { Outbox } from "../chat/outbox.ts";
import { Drafts } from "../composer/drafts.ts";
import { Directory } from "../list/directory.ts";

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
