/** The left column: new chat, search, filters, and every chat in its group. */

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { ListChecks, Search, SquarePen } from "lucide-react";
import { useEffect } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { useCards } from "../chat/network/directory.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import { keyNames } from "../page/shortcuts.ts";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { useReorder } from "../ui/reorder.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { ChatRow } from "./ChatRow.tsx";
import { useDismissed } from "./dismissed.ts";
import { Filters, type ListFilter, readFilter } from "./Filters.tsx";
import { grouped, HEADINGS, type ListGroup } from "./groups.ts";
import { SelectionBar } from "./Selection.tsx";
import { SelectingContext, useSelecting } from "./selecting.ts";
import "./list.css";

export function ChatList({ onSearch }: { onSearch: () => void }) {
  const filter = readFilter(useSearch());
  const [location] = useLocation();
  const current = /^\/chats\/([^/]+)/.exec(location)?.[1];
  const { groups, more, state, again } = useGroups(filter);
  const selecting = useSelecting();
  return (
    <SelectingContext value={selecting}>
      <nav className="chat-list" aria-label={t("Chats")}>
        <div className="chat-list-top">
          <Link href="/" className="button button-plain grow new-chat">
            <SquarePen aria-hidden /> {t("New chat")}
          </Link>
          <button
            type="button"
            className="button button-plain button-icon"
            onClick={onSearch}
            aria-label={t("Search chats")}
            title={t("Search ({keys})", { keys: keyNames("⌘", "K") })}
          >
            <Search aria-hidden />
          </button>
        </div>
        <div className="filter-row">
          <Filters filter={filter} />
          <span className="grow" />
          {groups.length > 0 && (
            <Button
              small
              look="ghost"
              label={t("Select chats")}
              aria-pressed={selecting.ids !== null}
              onClick={() => selecting.set(selecting.ids ? null : new Set())}
            >
              <ListChecks />
            </Button>
          )}
        </div>
        <div className="chat-list-scroll">
          {groups.map((group) => (
            <Group key={group.name} group={group} current={current} />
          ))}
          {groups.length === 0 && state === "pending" && <Loading />}
          {groups.length === 0 && state === "success" && (
            <p className="chat-list-empty">
              {filter.kind === "all" ? t("No chats yet.") : t("No chats match.")}
            </p>
          )}
          {state === "error" && (
            <div className="chat-list-empty">
              <p>{t("The chats could not be loaded.")}</p>
              <Button small onClick={again}>
                {t("Try again")}
              </Button>
            </div>
          )}
          {more && (
            <button type="button" className="button button-ghost chat-list-more" onClick={more}>
              {t("Show older chats")}
            </button>
          )}
        </div>
        {selecting.ids && <SelectionBar ids={selecting.ids} onDone={() => selecting.set(null)} />}
      </nav>
    </SelectingContext>
  );
}

function Group({ group, current }: { group: ListGroup; current: string | undefined }) {
  const ids = group.cards.map((card) => card.id);
  const { directory } = useStores();
  const { complain } = useToasts();
  const reorder = useReorder(group.name === "Pinned" ? ids : [], (order) => {
    directory.put(order.flatMap((id, at) => cardOf(group, id, { pin: at + 1 })));
    Promise.all(order.map((id, at) => api.patch(`/chats/${id}`, { pin: at + 1 }))).catch((error: unknown) => {
      directory.put(group.cards);
      complain(error);
    });
  });
  const order = group.name === "Pinned" ? reorder.order : ids;
  return (
    <section aria-label={HEADINGS[group.name]}>
      <h2 className={group.name === "Needs you" ? "chat-group chat-group-needs" : "chat-group"}>
        {HEADINGS[group.name]}
      </h2>
      <ul>
        {order.map((id) => {
          const card = group.cards.find((entry) => entry.id === id);
          const handle = group.name === "Pinned" ? reorder.handle(id) : undefined;
          return card ? (
            <ChatRow
              key={id}
              card={card}
              current={id === current}
              handle={handle}
              needs={group.name === "Needs you"}
            />
          ) : null;
        })}
      </ul>
    </section>
  );
}

function cardOf(group: ListGroup, id: string, change: Partial<ChatCard>): ChatCard[] {
  const card = group.cards.find((entry) => entry.id === id);
  return card ? [{ ...card, ...change }] : [];
}

interface Listed {
  groups: ListGroup[];
  more: (() => void) | null;
  state: "pending" | "error" | "success";
  again: () => void;
}

function useGroups(filter: ListFilter): Listed {
  const { directory } = useStores();
  const me = useMe();
  const dismissed = useDismissed();
  const cards = useCards();
  const { data, hasNextPage, fetchNextPage, refetch, status } = useInfiniteQuery({
    queryKey: ["chats", filter],
    queryFn: ({ pageParam }) => directory.read({ ...filter.query, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
  const all = filter.kind === "all";
  const client = useQueryClient();
  useEffect(
    () =>
      directory.reads(async () => {
        // What was asked before may not know what changed, and no answer to it is one to this question.
        await client.cancelQueries({ queryKey: ["chats", filter] });
        return Promise.all([refetch({ throwOnError: true }), all || directory.read()]);
      }),
    [directory, client, refetch, filter, all],
  );
  const more = hasNextPage ? () => void fetchNextPage() : null;
  const again = () => void refetch();
  if (all)
    return { groups: grouped(cards.values(), me.id, new Date(), dismissed), more, state: status, again };
  const found =
    data?.pages
      .flatMap((page) => page.items)
      // What was deleted meanwhile is known no more.
      .filter((card) => cards.has(card.id))
      .map((card) => ({ ...card, ...cards.get(card.id), snippet: card.snippet })) ?? [];
  const kept = filter.kind === "archived" ? found.filter((card) => card.archived) : found;
  const name = filter.kind === "archived" ? "Archived" : "Found";
  return { groups: kept.length > 0 ? [{ name, cards: kept }] : [], more, state: status, again };
}
