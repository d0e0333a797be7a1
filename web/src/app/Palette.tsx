/** ⌘K: every chat with a snippet of what was found, what can be done to the open one, models, and every place to go. */

import { useQuery } from "@tanstack/react-query";
import { Pencil, Search } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { useCard, useCards } from "../chat/network/directory.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { STOP_TITLE, StopQuestion } from "../composer/stopping.tsx";
import { t } from "../language/catalogue.ts";
import { addressOf } from "../list/found.ts";
import { Snippet } from "../list/Snippet.tsx";
import { StatusIcon } from "../list/StatusIcon.tsx";
import { useVerbs } from "../list/verbs.ts";
import { isTyping } from "../page/shortcuts.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { ago } from "../ui/format.ts";
import { useReturnedFocus } from "../ui/returnFocus.ts";
import { type Entry, type Questions, useChatCommands, useModelCommands, usePlaces } from "./commands.tsx";
import { found, offered } from "./found.ts";

const MOST = 12;
const MOST_UNASKED = 6;

export function Palette({ onClose }: { onClose: () => void }) {
  const [stopping, setStopping] = useState<LiveChat | null>(null);
  if (!stopping) return <Searching onStop={setStopping} onClose={onClose} />;
  return (
    <Dialog title={STOP_TITLE} onClose={onClose}>
      <StopQuestion live={stopping} onDone={onClose} />
    </Dialog>
  );
}

interface Asking {
  /** Asks about the queue before it stops the chat. */
  onStop: (live: LiveChat) => void;
  onClose: () => void;
}

function Searching({ onStop, onClose }: Asking) {
  const [renaming, setRenaming] = useState<ChatCard | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  // Before it is painted: whoever sees it can type.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const returns = useReturnedFocus();
  const [typing] = useState(() => isTyping(document.activeElement));
  /** Whoever was typing goes on; otherwise the place that is gone to may take the focus. */
  const goOn = () => {
    returns.current = typing;
    onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it on Escape
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label={renaming ? t("Rename") : t("Search")}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {renaming ? (
        <NewTitle card={renaming} onDone={onClose} />
      ) : (
        <Results onRename={setRenaming} onStop={onStop} onClose={goOn} />
      )}
    </dialog>
  );
}

function Results({ onRename, onStop, onClose }: Asking & { onRename: (card: ChatCard) => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(query, { onRename, onStop });
  const list = useRef<HTMLDivElement>(null);
  const run = (entry: Entry | undefined) => {
    if (!entry?.asks) onClose();
    entry?.run();
  };
  const choose = (at: number) => {
    setChosen(at);
    list.current?.querySelector(`#palette-${at}`)?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      choose((chosen + by + entries.length) % Math.max(1, entries.length));
    }
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      // The focus may be elsewhere in a moment: the line break is not for there.
      event.preventDefault();
      run(entries[chosen]);
    }
  };
  return (
    <>
      <div className="palette-box">
        <Search aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls="palette-list"
          aria-activedescendant={`palette-${chosen}`}
          aria-label={t("Search chats and commands")}
          placeholder={t("Search chats and commands")}
          // biome-ignore lint/a11y/noAutofocus: it opens because somebody wants to type
          autoFocus
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div ref={list} id="palette-list" role="listbox" aria-label={t("Results")} className="palette-list">
        {entries.map((entry, at) => (
          <Option
            key={entry.key}
            entry={entry}
            at={at}
            first={entry.group !== entries[at - 1]?.group}
            chosen={at === chosen}
            onPoint={() => setChosen(at)}
            onRun={() => run(entry)}
          />
        ))}
        {entries.length === 0 && <p className="chat-list-empty">{t("No results.")}</p>}
      </div>
    </>
  );
}

interface OptionProps {
  entry: Entry;
  at: number;
  /** Whether it is the first of its group. */
  first: boolean;
  chosen: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Option({ entry, at, first, chosen, onPoint, onRun }: OptionProps) {
  return (
    <>
      {first && (
        <p className="menu-heading" role="presentation">
          {entry.group}
        </p>
      )}
      <button
        id={`palette-${at}`}
        type="button"
        role="option"
        tabIndex={-1}
        aria-selected={chosen}
        className="menu-item"
        onPointerMove={onPoint}
        onClick={onRun}
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
    </>
  );
}

function NewTitle({ card, onDone }: { card: ChatCard; onDone: () => void }) {
  const verbs = useVerbs()(card);
  const [title, setTitle] = useState(card.title);
  const save = () => {
    if (title.trim() && title.trim() !== card.title) verbs.rename(title.trim());
    onDone();
  };
  return (
    <div className="palette-box">
      <Pencil aria-hidden />
      <input
        aria-label={t("New title")}
        placeholder={t("New title")}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to rename
        autoFocus
        value={title}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          save();
        }}
      />
      <span className="hint">{t("Enter saves")}</span>
    </div>
  );
}

function useEntries(query: string, questions: Questions): Entry[] {
  const [, params] = useRoute("/chats/:id");
  const card = useCard(params?.id ?? "");
  const commands = [...useChatCommands(card, questions), ...useModelCommands(card), ...usePlaces()];
  const chats = useChats(query.trim(), params?.id);
  return query.trim() ? found(query, commands, chats) : offered(commands, chats);
}

/** Chats by what is said in them and, letter by letter, by their titles; those that are known at once. */
function useChats(wanted: string, current: string | undefined): Entry[] {
  const [, go] = useLocation();
  const cards = useCards();
  const said = useSearched(wanted);
  const titled = useSearched(wanted && `title:"${wanted.replaceAll('"', "")}"`);
  const local = [...cards.values()].filter(
    (card) => !card.archived && card.title.toLowerCase().includes(wanted.toLowerCase()),
  );
  // Unasked, only where one could want to go: not here, and to an agent by way of its parent.
  const elsewhere = local.filter((card) => wanted || (card.id !== current && !card.parent_id));
  elsewhere.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const all = new Map<string, ChatCard>(elsewhere.slice(0, MOST).map((card) => [card.id, card]));
  for (const card of titled) if (!all.has(card.id)) all.set(card.id, card);
  for (const card of said) all.set(card.id, card);
  return [...all.values()].slice(0, wanted ? MOST : MOST_UNASKED).map((card) => ({
    key: card.id,
    group: t("Chats"),
    icon: <StatusIcon card={card} />,
    words: card.title || t("New chat"),
    snippet: card.snippet,
    hint: ago(card.updated_at),
    run: () => go(addressOf(card)),
  }));
}

const NONE: ChatCard[] = [];

function useSearched(q: string): readonly ChatCard[] {
  const asked = q.length > 1;
  const { data } = useQuery({
    queryKey: ["search", q],
    queryFn: () => api.get("/chats", { q, limit: MOST }),
    enabled: asked,
    placeholderData: (before) => before,
    retry: false,
  });
  return asked ? (data?.items ?? NONE) : NONE;
}
