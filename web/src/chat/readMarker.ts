/** Telling the server how far somebody has read, while they look. */

import { useEffect } from "react";
import { api } from "../api/client.ts";
import type { LiveChat } from "./live.ts";

const SETTLE_MS = 800;

export function useReadMarker(live: LiveChat): void {
  useEffect(() => {
    let marked = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const mark = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const newest = live.state.messages.at(-1)?.number ?? 0;
        const unread = live.state.card?.unread === true || newest > marked;
        if (document.hidden || newest === 0 || !unread || newest === marked) return;
        marked = newest;
        void api.patch(`/chats/${live.id}`, { read: newest }).catch(() => {});
      }, SETTLE_MS);
    };
    const stop = live.subscribe(mark);
    document.addEventListener("visibilitychange", mark);
    mark();
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [live]);
}
