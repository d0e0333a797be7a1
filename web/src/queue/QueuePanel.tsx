/** Messages that wait for their turn, above the composer. */

import { ListOrdered } from "lucide-react";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import type { QueuedMessage } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { useReorder } from "../ui/reorder.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { QueueItem } from "./QueueItem.tsx";
import "./queue.css";

const selectQueue = (chat: ChatState) => chat.queue;

export function QueuePanel() {
  const live = useLiveChat();
  const queue = useChat(selectQueue);
  const { complain } = useToasts();
  const [wanted, setWanted] = useState<number[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server's next word replaces what we hoped for
  useEffect(() => setWanted(null), [queue]);
  const ids = wanted ?? queue.map((item) => item.number);
  const reorder = useReorder(ids, (order) => {
    setWanted(order);
    live
      .inOrder(() => api.put(`/chats/${live.id}/queue`, { order }))
      .catch((error: unknown) => {
        setWanted(null);
        complain(error);
      });
  });
  if (queue.length === 0) return null;
  const items = reorder.order
    .map((number) => queue.find((item) => item.number === number))
    .filter((item): item is QueuedMessage => item !== undefined);
  return (
    <section className="queue" aria-label={t("Queue")}>
      <header className="queue-head">
        <ListOrdered aria-hidden />
        {t("{count, plural, one {# message} other {# messages}} in the queue", { count: queue.length })}
      </header>
      <ol>
        {items.map((item) => (
          <QueueItem
            key={item.number}
            item={item}
            dragging={reorder.dragging === item.number}
            handle={reorder.handle(item.number)}
            movable={queue.length > 1}
          />
        ))}
      </ol>
    </section>
  );
}
