/** Telling the server how far somebody has read, while they look. */

import { useEffect } from "react";
import { api } from "../../api/client.ts";
import { isBusy, phaseOf } from "../model/phase.ts";
import type { LiveChat } from "./live.ts";

const SETTLE_MS = 800;

export function useReadMarker(live: LiveChat): void {
  useEffect(() => {
    let marked = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const say = () => {
      const newest = live.state.messages.at(-1)?.number ?? 0;
      // A turn that ends without a message, as an error does, is read as well.
      const seen = `${newest} ${isBusy(phaseOf(live.state))}`;
      if (document.hidden || live.gone || newest === 0 || seen === marked) return;
      marked = seen;
      void api.patch(`/chats/${live.id}`, { read: newest }).catch(() => {});
    };
    const mark = () => {
      clearTimeout(timer);
      timer = setTimeout(say, SETTLE_MS);
    };
    const stop = live.subscribe(mark);
    document.addEventListener("visibilitychange", mark);
    mark();
    return () => {
      stop();
      clearTimeout(timer);
      say();
      document.removeEventListener("visibilitychange", mark);
    };
  }, [live]);
}
