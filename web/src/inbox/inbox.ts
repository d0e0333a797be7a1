/** The inbox, kept current by its own stream. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, BASE } from "../api/client.ts";
import { EventStream } from "../api/stream.ts";
import type { InboxEntry } from "../api/types.ts";
import { notify } from "./notify.ts";

interface Inbox {
  items: InboxEntry[];
  unread: number;
}
export interface InboxEvent {
  type: "inbox";
  cursor: string;
  entry: InboxEntry;
  unread: number;
}

export const INBOX_KEY = ["inbox"];

/** What is heard while answers are on their way: it is newer than they are. */
const meanwhile = new Set<InboxEvent[]>();

export function inboxHears(events: readonly InboxEvent[]): void {
  for (const heardSince of meanwhile) heardSince.push(...events);
}

export async function readInbox(): Promise<Inbox> {
  const events: InboxEvent[] = [];
  meanwhile.add(events);
  try {
    return events.reduce(heard, await api.get("/inbox"));
  } finally {
    meanwhile.delete(events);
  }
}

export function useInbox(): { entries: InboxEntry[]; unread: number } {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: INBOX_KEY, queryFn: readInbox, retry: 1 });
  useEffect(() => {
    let cursor: string | null = null;
    const stream = new EventStream<InboxEvent>({
      path: `${BASE}/inbox/watch`,
      cursor: () => cursor,
      onLink: () => {},
      worthRetrying: () => client.invalidateQueries({ queryKey: INBOX_KEY }).then(() => true),
      onEvents: (events) => {
        cursor = events.at(-1)?.cursor ?? cursor;
        inboxHears(events);
        client.setQueryData<Inbox>(INBOX_KEY, (before) =>
          events.reduce(heard, before ?? { items: [], unread: 0 }),
        );
        for (const { entry } of events) if (entry && !entry.read_at) notify(entry);
      },
    });
    stream.start();
    return () => stream.stop();
  }, [client]);
  return { entries: data?.items ?? [], unread: data?.unread ?? 0 };
}

function heard(inbox: Inbox, event: InboxEvent): Inbox {
  if (!event.entry) return { ...inbox, unread: event.unread };
  const others = inbox.items.filter((entry) => entry.id !== event.entry.id);
  return { items: [event.entry, ...others], unread: event.unread };
}
