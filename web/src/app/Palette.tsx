/** ⌘K: every chat with a snippet of what was found, and every place to go. */

import { useQuery } from "@tanstack/react-query";
import { Moon, Search, Settings, SquarePen, Sun } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard, ChatPage } from "../api/types.ts";
import { useCards } from "../list/directory.ts";
import { Snippet } from "../list/Snippet.tsx";
import { StatusIcon } from "../list/StatusIcon.tsx";
import { ago } from "../ui/format.ts";
import { mayAdminister, useMe } from "./session.ts";
import { setTheme } from "./theme.ts";

interface Entry {
  key: string;
  icon: ReactNode;
  words: string;
  snippet?: string;
  hint?: string;
  run: () => void;
}

const MOST = 12;

export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(query);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const run = (entry: Entry | undefined) => {
    onClose();
    entry?.run();
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setChosen((chosen + by + entries.length) % Math.max(1, entries.length));
    }
    if (event.key === "Enter") run(entries[chosen]);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it on Escape
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Search"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="palette-box">
        <Search aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls="palette-list"
          aria-activedescendant={`palette-${chosen}`}
          aria-label="Search chats and commands"
          placeholder="Search chats, or go somewhere"
          autoFocus
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div id="palette-list" role="listbox" aria-label="Results" className="palette-list">
        {entries.map((entry, at) => (
          <button
            key={entry.key}
            id={`palette-${at}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className="menu-item"
            onPointerMove={() => setChosen(at)}
            onClick={() => run(entry)}
          >
            {entry.icon}
            <span className="palette-words">
              <span className="truncate">{entry.words}</span>
              {entry.snippet && (
                <span className="truncate quiet small">
                  <Snippet text={entry.snippet} />
                </span>
              )}
            </span>
            {entry.hint && <span className="hint">{entry.hint}</span>}
          </button>
        ))}
        {entries.length === 0 && <p className="chat-list-empty">Nothing found.</p>}
      </div>
    </dialog>
  );
}

function useEntries(query: string): Entry[] {
  const [, go] = useLocation();
  const cards = useCards();
  const me = useMe();
  const wanted = query.trim();
  const { data } = useQuery({
    queryKey: ["search", wanted],
    queryFn: () => api.get<ChatPage>("/chats", { q: wanted, limit: MOST }),
    enabled: wanted.length > 1,
    placeholderData: (before) => before,
    retry: false,
  });
  const local = [...cards.values()].filter(
    (card) => !card.archived && card.title.toLowerCase().includes(wanted.toLowerCase()),
  );
  local.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const found = new Map<string, ChatCard>(local.slice(0, MOST).map((card) => [card.id, card]));
  if (wanted.length > 1) for (const card of data?.items ?? []) found.set(card.id, card);
  const chats: Entry[] = [...found.values()].slice(0, MOST).map((card) => ({
    key: card.id,
    icon: <StatusIcon card={card} />,
    words: card.title || "New chat",
    snippet: card.snippet,
    hint: ago(card.updated_at),
    run: () => go(`/chats/${card.id}`),
  }));
  const places: Entry[] = [
    { key: "new", icon: <SquarePen aria-hidden />, words: "New chat", run: () => go("/") },
    { key: "settings", icon: <Settings aria-hidden />, words: "Settings", run: () => go("/settings") },
    { key: "dark", icon: <Moon aria-hidden />, words: "Dark theme", run: () => setTheme("dark") },
    { key: "light", icon: <Sun aria-hidden />, words: "Light theme", run: () => setTheme("light") },
  ];
  if (mayAdminister(me)) {
    for (const [place, words] of [
      ["providers", "Providers and models"],
      ["users", "Users and roles"],
      ["usage", "Usage and cost"],
    ]) {
      places.push({
        key: `admin-${place}`,
        icon: <Settings aria-hidden />,
        words: words ?? "",
        run: () => go(`/admin/${place}`),
      });
    }
  }
  const named = (entry: Entry) => entry.words.toLowerCase();
  const meant = wanted.toLowerCase();
  // A place that is called what was typed comes first, so that chats found later do not push it from under Enter.
  const first = places.filter((entry) => wanted.length > 1 && named(entry).startsWith(meant));
  const rest = places.filter((entry) => !first.includes(entry) && named(entry).includes(meant));
  return [...first, ...chats, ...rest];
}
