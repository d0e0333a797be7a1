/** Telling the others in a chat that somebody writes: while they do, and once when they stop. */

import { useEffect } from "react";
import { api } from "../../api/client.ts";
import { useStores } from "./stores.ts";

const AGAIN_MS = 3_000;

export function useTyping(chat: string, others: boolean): void {
  const { drafts } = useStores();
  useEffect(() => {
    if (!others) return;
    let before = drafts.get(chat).text;
    let told = 0;
    const tell = (typing: boolean) =>
      void api.post(`/chats/${chat}/typing`, { typing }).catch(() => {
        // The next letter says it again.
      });
    const look = () => {
      const { text } = drafts.get(chat);
      if (text === before) return;
      before = text;
      if (!text && told > 0) {
        told = 0;
        tell(false);
      } else if (text && Date.now() - told > AGAIN_MS) {
        told = Date.now();
        tell(true);
      }
    };
    const stop = drafts.subscribe(look);
    return () => {
      stop();
      if (told > 0) tell(false);
    };
  }, [chat, others, drafts]);
}
