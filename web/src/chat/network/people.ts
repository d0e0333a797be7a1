/** Who is in a chat, and what one may do in it. A chat that nobody else is in asks nothing of the server. */

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { api } from "../../api/client.ts";
import type { PendingAction, PersonOfChat } from "../../api/types.ts";
import { useMe } from "../../page/session.ts";
import type { ChatState } from "../model/state.ts";
import { useChat, useLiveChat } from "./hooks.ts";
import { useMine } from "./reading.ts";

export type ShareRole = "read" | "write" | "approve";

const NOBODY: readonly PersonOfChat[] = [];
const isShared = (chat: ChatState) => chat.card?.shared ?? false;
const selectCard = (chat: ChatState) => chat.card;

/** Everybody who is in the chat, its owner first; nobody where one is alone. */
export function usePeople(): readonly PersonOfChat[] {
  const live = useLiveChat();
  const shared = useChat(isShared);
  const mine = useMine();
  // Whenever the card moves, somebody may have got another role.
  const card = useChat(selectCard);
  const { data } = useQuery({
    queryKey: ["people", live.id, card?.updated_at, shared],
    queryFn: async () => (await api.get(`/chats/${live.id}/people`)).items,
    enabled: shared || !mine,
    placeholderData: (before) => before,
    retry: false,
  });
  return data ?? NOBODY;
}

/** What one may do here. Until it is known, no more than reading in a chat of somebody else. */
export function useShareRole(): ShareRole | "owner" {
  const me = useMe();
  const mine = useMine();
  const role = usePeople().find((person) => person.id === me.id)?.role;
  return mine ? "owner" : ((role as ShareRole | undefined) ?? "read");
}

export function useMayWrite(): boolean {
  return useShareRole() !== "read";
}

/** Whether one may approve, and whether one may at least refuse. */
export function useMayDecide(action: PendingAction | null): { approve: boolean; deny: boolean } {
  const me = useMe();
  const role = useShareRole();
  const asked = action?.asked_by === me.id;
  const may = role === "owner" || role === "approve";
  const settled = action?.approvers ?? "anybody";
  const approve =
    settled === "author" ? asked && role !== "read" : may && (settled !== "not_author" || !asked);
  return { approve, deny: may || (asked && role !== "read") };
}

/** The name of an author, where it says something: not one's own, and not where one is alone. */
export function useAuthorName(author: string | undefined, id: string | undefined): string | null {
  const me = useMe();
  const several = useChat(
    useCallback((chat: ChatState) => chat.card?.shared || othersSpoke(chat, me.id), [me.id]),
  );
  return several && id && id !== me.id ? (author ?? null) : null;
}

function othersSpoke(chat: ChatState, me: string): boolean {
  return chat.messages.some(({ role, created_by }) => role === "user" && created_by && created_by !== me);
}
