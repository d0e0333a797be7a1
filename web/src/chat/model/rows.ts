/** A chat's messages, laid out as the rows a transcript shows. Pure; live and stored messages take the same path. */

import type {
  Message,
  NoticePart,
  Part,
  ReasoningPart,
  SourcePart,
  Status,
  ToolCallPart,
  ToolResultPart,
} from "../../api/types.ts";
import { answered, type Call, type Group, groupOf } from "./calls.ts";
import type { Preview } from "./preview.ts";
import type { Send } from "./state.ts";
import { emptyTurn, type Turn, turnWith } from "./turn.ts";

/** Every row knows the message that it begins with; what is not committed has no number yet. */
export type Row = { key: string; number: number } & Content;
type Content =
  | { kind: "user"; parts: Part[]; message: Message | null; send: Send | null }
  | { kind: "text"; text: string; live: boolean }
  | { kind: "reasoning"; part: ReasoningPart; live: boolean }
  | { kind: "calls"; group: Group; calls: Call[] }
  | { kind: "boundary"; call: Call }
  | { kind: "sources"; sources: SourcePart[] }
  | { kind: "file"; part: Extract<Part, { type: "file" }> }
  | { kind: "notice"; notice: NoticePart }
  | { kind: "work"; rows: Row[]; turn: Turn | null }
  | { kind: "turn"; turn: Turn; last: boolean };

/** Where a row is from: its key, and the number of its message. */
interface Place {
  key: string;
  number: number;
}

const BOUNDARY_TOOL = "chat_summarized";

/** Rows of what is committed. A turn gets its footer when the next one begins or the chat rests. */
export function committedRows(messages: readonly Message[], status: Status | null): Row[] {
  const rows: Row[] = [];
  let turn = emptyTurn();
  // The first that is held has something before it, too: its rows keep their keys when that comes.
  let before = (messages[0]?.number ?? 1) - 1;
  for (const message of messages) {
    if (message.role === "user") {
      close(rows, turn, false);
      turn = emptyTurn();
    }
    addMessage(rows, message, before);
    turn = turnWith(turn, message);
    before = message.number;
  }
  const resting = status === "waiting" || status === "error";
  if (resting) close(rows, turn, true);
  return status === "requires_action" ? rows.map(parked) : rows;
}

/** Rows of an earlier version: nothing in it goes on, so no turn is the last. */
export function pastRows(messages: readonly Message[]): Row[] {
  return committedRows(messages, "waiting").map((row) =>
    row.kind === "turn" ? { ...row, last: false } : row,
  );
}

/** The same rows with the answer in flight and the messages on their way. */
export function liveRows(committed: Row[], before: number, preview: Preview, sends: readonly Send[]): Row[] {
  if (preview.parts.length === 0 && sends.length === 0) return committed;
  const rows = [...committed];
  for (const [at, entry] of preview.parts.entries()) {
    const live = at === preview.parts.length - 1;
    if (entry.part.type === "tool_result") answer(rows, entry.part, entry.done);
    else addPart(rows, entry.part, { key: `${before}.${at}`, number: 0 }, live);
  }
  for (const send of sends) {
    const shown = send.busy !== "queue" || send.state.phase !== "sending" || preview.parts.length === 0;
    if (shown)
      rows.push({
        kind: "user",
        key: `c${send.client_id}`,
        number: 0,
        parts: send.content,
        message: null,
        send,
      });
  }
  return rows;
}

/** In a parked chat, a call without an answer does not run: it waits for somebody. */
function parked(row: Row): Row {
  if (row.kind !== "calls" || !row.calls.some((call) => call.state.phase === "running")) return row;
  const calls = row.calls.map((call) =>
    call.state.phase === "running" ? { ...call, state: { phase: "waiting" as const } } : call,
  );
  return { ...row, calls };
}

function close(rows: Row[], turn: Turn, last: boolean): void {
  if (turn.answers > 0) rows.push({ kind: "turn", key: `t${turn.number}`, number: turn.until, turn, last });
}

function addMessage(rows: Row[], message: Message, before: number): void {
  if (message.role === "user") {
    const key = message.client_id ? `c${message.client_id}` : `u${message.number}`;
    if (message.parts.some((part) => part.type !== "notice")) {
      rows.push({ kind: "user", key, number: message.number, parts: message.parts, message, send: null });
      return;
    }
  }
  for (const [at, part] of message.parts.entries()) {
    if (part.type === "tool_result") answer(rows, part, true);
    else addPart(rows, part, { key: `${before}.${at}`, number: message.number }, false);
  }
}

function addPart(rows: Row[], part: Part, place: Place, live: boolean): void {
  switch (part.type) {
    case "text":
      if (part.text) rows.push({ ...place, kind: "text", text: part.text, live });
      return;
    case "reasoning":
      if (part.text || live)
        rows.push({ ...place, kind: "reasoning", part, live: live && !part.completed_at });
      return;
    case "tool_call":
      return addCall(rows, part, place, live);
    case "source":
      return addSource(rows, part, place);
    case "file":
      rows.push({ ...place, kind: "file", part });
      return;
    case "notice":
      // The end of the turn says it, with the way on.
      if (part.kind === "length") return;
      rows.push({ ...place, kind: "notice", notice: part });
      return;
    case "tool_result":
    case "file_reference":
      return;
  }
}

/** A call joins the row before it when both are of one kind; anything else starts a row of its own. */
function addCall(rows: Row[], part: ToolCallPart, place: Place, live: boolean): void {
  const state: Call["state"] = live ? { phase: "writing" } : { phase: "running", output: "" };
  const call: Call = { key: place.key, part, state, ms: null };
  if (call.part.tool === BOUNDARY_TOOL) {
    rows.push({ ...place, kind: "boundary", call });
    return;
  }
  const group = groupOf(call.part.tool);
  const last = rows.at(-1);
  if (last?.kind === "calls" && last.group === group && group !== "single") {
    rows[rows.length - 1] = { ...last, calls: [...last.calls, call] };
  } else rows.push({ ...place, kind: "calls", group, calls: [call] });
}

function addSource(rows: Row[], part: SourcePart, place: Place): void {
  const last = rows.at(-1);
  if (last?.kind === "sources") {
    if (last.sources.some((source) => source.url === part.url)) return;
    rows[rows.length - 1] = { ...last, sources: [...last.sources, part] };
  } else rows.push({ ...place, kind: "sources", sources: [part] });
}

/** Put a result to the newest call of its id; rows are replaced, never changed. */
function answer(rows: Row[], result: ToolResultPart, complete: boolean): void {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at] as Row;
    if (row.kind === "user" && row.message) return;
    if (row.kind === "boundary" && row.call.part.call_id === result.call_id) {
      rows[at] = { ...row, call: answered(row.call, result, complete) };
      return;
    }
    if (row.kind !== "calls") continue;
    const index = row.calls.findLastIndex((call) => call.part.call_id === result.call_id);
    const call = row.calls[index];
    if (!call) continue;
    rows[at] = { ...row, calls: row.calls.with(index, answered(call, result, complete)) };
    return;
  }
}
