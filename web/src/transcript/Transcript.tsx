/** The conversation: rows, virtualised, that never jump. */

import { Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useSearch } from "wouter";
import { type Folded, folded, headOf, keptOpen, openingKeys } from "../chat/model/folds.ts";
import { patternOf, patternOfAny } from "../chat/model/places.ts";
import { committedRows, liveRows, pastRows, type Row } from "../chat/model/rows.ts";
import type { ChatState } from "../chat/model/state.ts";
import { shownMessages } from "../chat/model/stretch.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { useVersions } from "../chat/network/versionsContext.ts";
import { t } from "../language/catalogue.ts";
import { useShortcuts } from "../page/shortcuts.ts";
import { FindBar } from "./FindBar.tsx";
import { useMarks } from "./marks.ts";
import { PhaseRow } from "./PhaseRow.tsx";
import { RowView } from "./RowView.tsx";
import { useStickToEnd } from "./stickToEnd.ts";
import { TravelButtons } from "./TravelButtons.tsx";
import { type Travel, useTravel } from "./travel.ts";
import "./transcript.css";

const NEAR_PX = 900;

interface Drawn extends Folded {
  all: readonly Row[];
}

function useRows(isAtEnd: () => boolean): Drawn {
  const live = useLiveChat();
  const messages = useChat(shownMessages);
  const status = useChat(selectStatus);
  const preview = useChat(selectPreview);
  const sends = useChat(selectSends);
  const back = useChat(selectBack);
  const open = useSyncExternalStore(live.open.subscribe, live.open.all);
  const { past } = useVersions();
  const committed = useMemo(
    () => (past ? pastRows(past) : back ? pastRows(messages) : committedRows(messages, status)),
    [past, back, messages, status],
  );
  const kept = useKeptOpen(committed, isAtEnd);
  const drawn = useMemo(
    () => folded(committed, (key) => open.get(key) ?? kept.includes(key)),
    [committed, open, kept],
  );
  const before = messages.at(-1)?.number ?? 0;
  return useMemo(() => {
    if (past || back) return { ...drawn, all: committed };
    return { ...drawn, rows: liveRows(drawn.rows, before, preview, sends), all: committed };
  }, [past, back, committed, drawn, before, preview, sends]);
}

const selectStatus = (chat: ChatState) => chat.status;
const selectPreview = (chat: ChatState) => chat.preview;
const selectSends = (chat: ChatState) => chat.sends;
const selectSpoken = (chat: ChatState) => chat.spoken;
const selectBack = (chat: ChatState) => chat.stretch !== null;

export function Transcript() {
  const live = useLiveChat();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { past, shown, arrived } = useVersions();
  const back = useChat(selectBack);
  const reading = past !== null || back;
  const { away, toEnd: stickToEnd, leaveEnd, isAtEnd, onScroll } = useStickToEnd(scroller, !reading);
  const drawn = useRows(isAtEnd);
  const { rows, lines, within } = drawn;
  const first = useRef<string | undefined>(undefined);
  // Rows that come before the first one push the others down: keep what is read in place.
  const prepended = rows[0]?.key !== first.current && rows.some((row) => row.key === first.current);
  useLayoutEffect(() => {
    first.current = rows[0]?.key;
  });
  const travel = useTravel(drawn, { list, leaveEnd, stickToEnd });
  useOwnMessages(travel.toEnd);
  const find = useFind(travel);
  useMarks(scroller, find.pattern, travel.here);
  useShortcuts({
    find: find.open,
    start: travel.toStart,
    end: travel.toEnd,
    previousQuestion: () => travel.toQuestion(-1),
    nextQuestion: () => travel.toQuestion(1),
  });
  // Whoever turned to it is there already; whoever comes by its address is brought there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where the address leads elsewhere
  useEffect(() => {
    if (shown === null || shown === arrived) return;
    list.current?.scrollToIndex(
      rows.findIndex((row) => row.kind === "user" && row.message?.number === shown),
    );
  }, [shown]);
  const rowOf = (row: Row, next: Row | undefined) => (
    <div
      key={row.key}
      data-key={row.key}
      className={`row row-${row.kind} before-${next?.kind} ${within.has(row.key) ? "row-within" : ""} ${find.pattern && row.key === travel.here ? "row-here" : ""}`}
    >
      <RowView row={row} />
    </div>
  );
  const several = rows.filter((row) => row.kind === "user").length > 1 || back;
  return (
    <div className="transcript-frame">
      {find.bar}
      <div
        ref={scroller}
        className="transcript"
        role="log"
        aria-label={t("Conversation")}
        aria-live="off"
        tabIndex={0}
        onScroll={() => {
          onScroll();
          const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
          if (scrollTop < NEAR_PX) void live.loadOlder();
          if (scrollHeight - clientHeight - scrollTop < NEAR_PX) void live.loadNewer();
        }}
      >
        <div className="transcript-column">
          <Virtualizer ref={list} scrollRef={scroller} shift={prepended} bufferSize={300} data={rows}>
            {(row, at) => {
              const line = row.kind === "work" ? row : lines.get(row.key);
              return (
                <Fragment key={line ? headOf(line) : row.key}>
                  {line && rowOf(line, row)}
                  {row !== line && rowOf(row, rows[at + 1])}
                </Fragment>
              );
            }}
          </Virtualizer>
          <PhaseRow shown={!reading} />
        </div>
      </div>
      {(several || away) && (
        <TravelButtons
          away={away || back}
          onStart={travel.toStart}
          onQuestion={travel.toQuestion}
          onEnd={travel.toEnd}
        />
      )}
    </div>
  );
}

/** Whoever says something wants to see it, and what comes of it. */
function useOwnMessages(toEnd: () => void) {
  const spoken = useChat(selectSpoken);
  const before = useRef(spoken);
  useLayoutEffect(() => {
    if (spoken > before.current) toEnd();
    before.current = spoken;
  }, [spoken, toEnd]);
}

/** The bar that looks for a text, or what an address says was looked for: the message, and its words. */
function useFind({ toMessage, reading }: Travel) {
  const [query, setQuery] = useState<string | null>(null);
  const search = useSearch();
  const sought = useMemo(() => {
    const fields = new URLSearchParams(search);
    return {
      number: Number(fields.get("message")),
      words: patternOfAny((fields.get("words") ?? "").split(" ")),
    };
  }, [search]);
  useEffect(() => {
    if (sought.number > 0) toMessage(sought.number, sought.words);
  }, [sought, toMessage]);
  const typed = useMemo(() => patternOf(query ?? ""), [query]);
  const close = () => {
    setQuery(null);
    document.querySelector<HTMLElement>(".transcript")?.focus({ preventScroll: true });
  };
  return {
    pattern: query === null ? sought.words : typed,
    open: () => {
      setQuery((before) => before ?? "");
      document.querySelector<HTMLInputElement>(".find input")?.focus();
    },
    bar: query !== null && (
      <FindBar
        query={query}
        onQuery={setQuery}
        from={reading}
        onPlace={(number) => toMessage(number, typed)}
        onClose={close}
      />
    ),
  };
}

/**
 * The lines that stay open when a turn ends. It is known as the rows are first drawn: rows that were folded for a moment
 * would be made anew, and measured anew, while somebody reads them.
 */
function useKeptOpen(committed: readonly Row[], isAtEnd: () => boolean): readonly string[] {
  const { open } = useLiveChat();
  const before = useRef(committed);
  const kept = useMemo(
    () => keptOpen(before.current, committed, (row) => !isAtEnd() || openingKeys(row).some(open.get)),
    [committed, open, isAtEnd],
  );
  useLayoutEffect(() => {
    before.current = committed;
    for (const line of kept) open.put(line, true);
  }, [committed, kept, open]);
  return kept;
}
