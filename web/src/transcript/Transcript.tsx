/** The conversation: rows, virtualised, that never jump. */

import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useChat, useLiveChat } from "../chat/hooks.ts";
import { committedRows, liveRows, pastRows, type Row } from "../chat/rows.ts";
import type { ChatState } from "../chat/state.ts";
import { useVersions } from "../chat/versionsContext.ts";
import { JumpToEnd } from "./JumpToEnd.tsx";
import { PhaseRow } from "./PhaseRow.tsx";
import { RowView } from "./RowView.tsx";
import { useStickToEnd } from "./stickToEnd.ts";
import "./transcript.css";

const NEAR_TOP_PX = 900;

export function useRows(): Row[] {
  const messages = useChat(selectMessages);
  const status = useChat(selectStatus);
  const preview = useChat(selectPreview);
  const sends = useChat(selectSends);
  const { past } = useVersions();
  const committed = useMemo(
    () => (past ? pastRows(past) : committedRows(messages, status)),
    [past, messages, status],
  );
  const before = messages.at(-1)?.number ?? 0;
  return useMemo(
    () => (past ? committed : liveRows(committed, before, preview, sends)),
    [past, committed, before, preview, sends],
  );
}

const selectMessages = (chat: ChatState) => chat.messages;
const selectStatus = (chat: ChatState) => chat.status;
const selectPreview = (chat: ChatState) => chat.preview;
const selectSends = (chat: ChatState) => chat.sends;

export function Transcript() {
  const live = useLiveChat();
  const rows = useRows();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const first = useRef<string | undefined>(undefined);
  // Rows that come before the first one push the others down: keep what is read in place.
  const prepended = rows[0]?.key !== first.current && rows.some((row) => row.key === first.current);
  useLayoutEffect(() => {
    first.current = rows[0]?.key;
  });
  const { past, shown, arrived } = useVersions();
  const reading = past !== null;
  const { away, toEnd, onScroll } = useStickToEnd(scroller, !reading);
  // Whoever turned to it is there already; whoever comes by its address is brought there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where the address leads elsewhere
  useEffect(() => {
    if (shown === null || shown === arrived) return;
    list.current?.scrollToIndex(
      rows.findIndex((row) => row.kind === "user" && row.message?.number === shown),
    );
  }, [shown]);
  return (
    <div className="transcript-frame">
      <div
        ref={scroller}
        className="transcript"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        tabIndex={0}
        onScroll={() => {
          onScroll();
          if ((scroller.current?.scrollTop ?? 0) < NEAR_TOP_PX) void live.loadOlder();
        }}
      >
        <div className="transcript-column">
          <Virtualizer ref={list} scrollRef={scroller} shift={prepended} bufferSize={300} data={rows}>
            {(row, at) => (
              <div key={row.key} className={`row row-${row.kind} before-${rows[at + 1]?.kind}`}>
                <RowView row={row} />
              </div>
            )}
          </Virtualizer>
          <PhaseRow shown={!reading} />
        </div>
      </div>
      {away && <JumpToEnd onJump={toEnd} />}
    </div>
  );
}
