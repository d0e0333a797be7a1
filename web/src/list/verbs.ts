/** What can be done to a chat from a list. The answer updates the directory; the watch stream confirms it. */

import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { useToasts } from "../ui/Toasts.tsx";
import type { Labels } from "./labels.ts";

export interface ChatVerbs {
  rename: (title: string) => void;
  retitle: () => void;
  pin: (place: number) => void;
  label: (labels: Labels) => void;
  archive: (archived: boolean) => void;
  remove: () => void;
}

export function useChatVerbs(card: ChatCard): ChatVerbs {
  const verbsOf = useVerbs();
  return useMemo(() => verbsOf(card), [verbsOf, card]);
}

/** Change a card at once, and back where the server refuses. */
function usePatch(): (card: ChatCard, change: Partial<ChatCard>) => Promise<boolean> {
  const { directory } = useStores();
  const { complain } = useToasts();
  return useCallback(
    (card, change) => {
      directory.put([{ ...card, ...change }]);
      return api.patch(`/chats/${card.id}`, change).then(
        () => true,
        (error: unknown) => {
          directory.put([card]);
          complain(error);
          return false;
        },
      );
    },
    [directory, complain],
  );
}

/** Archive some chats, or take them out again; whoever archived can undo it. */
export function useArchiving(): (cards: readonly ChatCard[], archived: boolean) => void {
  const { say } = useToasts();
  const patch = usePatch();
  const [location, go] = useLocation();
  return useCallback(
    (cards, archived) => {
      const here = cards.some((card) => location === `/chats/${card.id}`);
      void Promise.all(cards.map(async (card) => ((await patch(card, { archived })) ? [card] : []))).then(
        (done) => {
          const changed = done.flat();
          if (changed.length === 0) return;
          const count = changed.length;
          if (!archived)
            return say(t("{count, plural, one {Unarchived.} other {# chats unarchived.}}", { count }));
          const undo = () => {
            // The pin went with the archiving.
            for (const card of changed)
              void patch({ ...card, archived: true }, { archived: false, pin: card.pin ?? 0 });
            if (here) go(location);
          };
          say(t("{count, plural, one {Archived.} other {# chats archived.}}", { count }), {
            words: t("Undo"),
            run: undo,
          });
        },
      );
      if (archived && here) go("/");
    },
    [patch, say, location, go],
  );
}

/** The verbs of whichever chat. */
export function useVerbs(): (card: ChatCard) => ChatVerbs {
  const { directory } = useStores();
  const { complain } = useToasts();
  const patch = usePatch();
  const archive = useArchiving();
  const [location, go] = useLocation();
  return useCallback(
    (card) => {
      const path = `/chats/${card.id}` as const;
      return {
        rename: (title) => void patch(card, { title }),
        retitle: () => void api.post(`${path}/title/regenerate`).catch(complain),
        pin: (pin) => void patch(card, { pin }),
        label: (labels) => void patch(card, { labels }),
        archive: (archived) => archive([card], archived),
        remove: () =>
          void api.delete(path).then(() => {
            directory.hear([{ type: "deleted", chat_id: card.id, cursor: "" }]);
            if (location === path) go("/");
          }, complain),
      };
    },
    [directory, complain, patch, archive, location, go],
  );
}
