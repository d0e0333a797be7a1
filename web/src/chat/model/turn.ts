/** A turn's footer: how long it took, with what, what it cost, and which files it changed. */

import type { Effort, Message, Part, ToolCallPart } from "../../api/types.ts";
import { argumentsOf, between, textField } from "./calls.ts";

export type Ending = "complete" | "interrupted" | "cut";

export interface Turn {
  /** The message that began it. */
  number: number;
  /** The message that ended it. */
  until: number;
  answers: number;
  started_at: string | undefined;
  ended_at: string | undefined;
  model: string | undefined;
  effort: Effort | undefined;
  input: number;
  output: number;
  cache_read: number;
  cost: number | null;
  files: readonly string[];
  ending: Ending;
  text: string;
}

export function emptyTurn(): Turn {
  return {
    number: 0,
    until: 0,
    answers: 0,
    started_at: undefined,
    ended_at: undefined,
    model: undefined,
    effort: undefined,
    input: 0,
    output: 0,
    cache_read: 0,
    cost: null,
    files: [],
    ending: "complete",
    text: "",
  };
}

export function turnWith(turn: Turn, message: Message): Turn {
  if (message.role === "user")
    return { ...turn, number: message.number, until: message.number, started_at: message.created_at };
  const ended = {
    ...turn,
    number: turn.number || message.number,
    until: message.number,
    // A summary made after the turn is no part of how long it took.
    ended_at: message.kind === "compaction" ? turn.ended_at : message.created_at,
  };
  // What the server says beside the conversation is no answer: a cut one stays cut.
  if (message.kind === "notice") return ended;
  if (message.role !== "assistant")
    return message.parts.some(stopped) ? { ...ended, ending: "interrupted" } : ended;
  const files = new Set([
    ...turn.files,
    ...message.parts.flatMap((part) => (part.type === "tool_call" ? writtenBy(part) : [])),
  ]);
  return {
    ...ended,
    answers: turn.answers + (message.kind === "compaction" ? 0 : 1),
    model: message.model ?? turn.model,
    effort: message.effort ?? turn.effort,
    input: turn.input + (message.usage?.input ?? 0),
    output: turn.output + (message.usage?.output ?? 0),
    cache_read: turn.cache_read + (message.usage?.cache_read ?? 0),
    cost: message.cost === undefined ? turn.cost : (turn.cost ?? 0) + message.cost,
    files: [...files],
    ending: endingOf(message),
    text: message.parts.map((part) => (part.type === "text" ? part.text : "")).join("") || turn.text,
  };
}

export function durationOf(turn: Turn): number | null {
  return between(turn.started_at, turn.ended_at);
}

function endingOf(message: Message): Ending {
  if (message.finish_reason === "interrupted") return "interrupted";
  return message.finish_reason === "length" ? "cut" : "complete";
}

/** What the server answers for a call that somebody stopped. */
const STOPPED = /^(?:The call was interrupted|Interrupted;)/;

/** A call that did not get to its end because somebody stopped the turn. */
function stopped(part: Part): boolean {
  return part.type === "tool_result" && part.is_error === true && STOPPED.test(part.result);
}

function writtenBy(call: ToolCallPart): string[] {
  const fields = argumentsOf(call.args);
  if (call.tool === "write_file") return [textField(fields, "path")].filter(Boolean);
  if (call.tool !== "edit_files" || !Array.isArray(fields.files)) return [];
  return fields.files.map((file: { path?: unknown }) => String(file.path ?? "")).filter(Boolean);
}
