/** Which chats no longer need somebody although they wait: until they move again, on every device of theirs. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api } from "../api/client.ts";
import type { ChatCard, InboxEntry, Me } from "../api/types.ts";
import { useMe } from "../page/session.ts";
import { useToasts } from "../ui/Toasts.tsx";

/** When each was last heard of as it was dismissed. */
export type Dismissed = Readonly<Record<string, string>>;

const MOST = 100;

export function isDismissed(card: ChatCard, dismissed: Dismissed): boolean {
  const then = dismissed[card.id];
  return then !== undefined && card.updated_at <= then;
}

/** With one more; the oldest are forgotten. */
export function dismissing(before: Dismissed, card: ChatCard): Dismissed {
  const { [card.id]: _, ...others } = before;
  return Object.fromEntries([...Object.entries(others).slice(1 - MOST), [card.id, card.updated_at]]);
}

export function useDismissed(): Dismissed {
  return (useMe().preferences.dismissed as Dismissed | undefined) ?? NONE;
}
const NONE: Dismissed = {};

export function useDismiss(): (card: ChatCard) => void {
  const client = useQueryClient();
  const me = useMe();
  const { complain } = useToasts();
  return useCallback(
    (card) => {
      const before = (me.preferences.dismissed as Dismissed | undefined) ?? NONE;
      const preferences = { ...me.preferences, dismissed: dismissing(before, card) };
      client.setQueryData<Me>(["me"], { ...me, preferences });
      const inbox = client.getQueryData<{ items: InboxEntry[] }>(["inbox"])?.items ?? [];
      const told = inbox.filter((entry) => entry.chat_id === card.id && !entry.read_at);
      Promise.all([
        api.patch("/me", { preferences }),
        ...told.map((entry) => api.post(`/inbox/${entry.id}/read`)),
      ])
        .then(() => client.invalidateQueries({ queryKey: ["inbox"] }))
        .catch((error: unknown) => {
          client.setQueryData<Me>(["me"], me);
          complain(error);
        });
    },
    [client, me, complain],
  );
}
