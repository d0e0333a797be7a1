/** Whether one can do something here, or only read: an earlier version, or a chat that is somebody else's. */

import { useCallback } from "react";
import { useMe } from "../../page/session.ts";
import { settled } from "../model/settled.ts";
import type { ChatState } from "../model/state.ts";
import { useChat } from "./hooks.ts";
import { useVersions } from "./versionsContext.ts";

const selectOwner = (chat: ChatState) => chat.card?.owner_id;

/** Whether the chat is one's own. Until it is known whose it is, it is. */
export function useMine(): boolean {
  const owner = useChat(selectOwner);
  const me = useMe();
  return owner === undefined || owner === me.id;
}

export function useReading(): boolean {
  const mine = useMine();
  return useVersions().past !== null || !mine;
}

/** Whether there is nothing to answer any more: somebody said something after the call, or it is only read here. */
export function useSettled(call_id: string): boolean {
  const reading = useReading();
  const answered = useChat(useCallback((chat: ChatState) => settled(chat, call_id), [call_id]));
  return reading || answered;
}
