/** What can be done to a chat from a list. The answer updates the directory; the watch stream confirms it. */

import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { useStores } from "../app/stores.ts";
import { useToasts } from "../ui/Toasts.tsx";

export interface ChatVerbs {
  rename: (title: string) => void;
  retitle: () => void;
  pin: (place: number) => void;
  archive: (archived: boolean) => void;
  remove: () => void;
}

export function useChatVerbs(card: ChatCard): ChatVerbs {
  const verbsOf = useVerbs();
  return useMemo(() => verbsOf(card), [verbsOf, card]);
}

/** The verbs of whichever chat. */
export function useVerbs(): (card: ChatCard) => ChatVerbs {
  const { directory } = useStores();
  const { complain, say } = useToasts();
  const [location, go] = useLocation();
  return useCallback(
    (card) => {
      const path = `/chats/${card.id}`;
      const patch = (change: Partial<ChatCard>, done?: string) => {
        directory.put([{ ...card, ...change }]);
        api.patch(path, change).then(
          () => done && say(done),
          (error: unknown) => {
            directory.put([card]);
            complain(error);
          },
        );
      };
      return {
        rename: (title) => patch({ title }),
        retitle: () => void api.post(`${path}/title/regenerate`).catch(complain),
        pin: (pin) => patch({ pin }),
        archive: (archived) => {
          patch({ archived }, archived ? "Archived." : "Unarchived.");
          if (archived && location === path) go("/");
        },
        remove: () =>
          void api.delete(path).then(() => {
            directory.hear([{ type: "deleted", chat_id: card.id, cursor: "" }]);
            if (location === path) go("/");
          }, complain),
      };
    },
    [directory, complain, say, location, go],
  );
}
