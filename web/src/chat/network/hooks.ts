/** React's view of a live chat: a component hears only of what it selects. */

import { createContext, useCallback, useContext, useRef, useSyncExternalStore } from "react";
import { type Phase, phaseOf } from "../model/phase.ts";
import type { ChatState } from "../model/state.ts";
import type { LiveChat } from "./live.ts";

export const LiveChatContext = createContext<LiveChat | null>(null);

export function useLiveChat(): LiveChat {
  const live = useContext(LiveChatContext);
  if (!live) throw new Error("No chat is open here.");
  return live;
}

export function useChat<Selected>(select: (chat: ChatState) => Selected): Selected {
  const live = useLiveChat();
  const read = useCallback(() => select(live.state), [live, select]);
  return useSyncExternalStore(live.subscribe, read);
}

/** The phase, as the same object while nothing about it changes. */
export function usePhase(): Phase {
  const last = useRef<Phase>({ kind: "loading" });
  return useChat(
    useCallback((chat: ChatState) => {
      const phase = phaseOf(chat);
      if (!samePhase(last.current, phase)) last.current = phase;
      return last.current;
    }, []),
  );
}

function samePhase(a: Phase, b: Phase): boolean {
  const left = Object.entries(a);
  return (
    left.length === Object.keys(b).length && left.every(([name, value]) => b[name as keyof Phase] === value)
  );
}
