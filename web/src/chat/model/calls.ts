/** A tool call as the transcript shows it: the request, and how far its answer is. */

import type { Author, Media, ToolCallPart, ToolResultPart } from "../../api/types.ts";

export type CallState =
  | { phase: "writing" }
  | { phase: "waiting" }
  | { phase: "running"; output: string }
  | { phase: "done"; output: string; media: Media[] }
  | { phase: "failed"; reason: string };

export interface Call {
  key: string;
  part: ToolCallPart;
  state: CallState;
  ms: number | null;
  /** Who approved it, denied it or decided otherwise about it. */
  deciders?: readonly Author[];
}

/** Kinds of calls that fold into one line when they follow each other. */
export type Group = "explore" | "edit" | "run" | "single";

const GROUPS: Record<string, Group> = {
  read_file: "explore",
  list_files: "explore",
  search_files: "explore",
  recall: "explore",
  read_skill: "explore",
  read_skill_file: "explore",
  list_templates: "explore",
  read_template: "explore",
  write_file: "edit",
  edit_files: "edit",
  execute: "run",
  process_output: "run",
  process_list: "run",
  process_signal: "run",
};

/** What a row of several calls is opened by: each of them is opened by its own key. */
export function groupKey(first: string): string {
  return `g${first}`;
}

export function groupOf(tool: string): Group {
  return GROUPS[tool] ?? "single";
}

export function answered(call: Call, result: ToolResultPart, complete: boolean): Call {
  if (!complete) return { ...call, state: { phase: "running", output: result.result } };
  const ms = between(call.part.created_at, result.created_at);
  const decided = { ...call, ms, deciders: result.decided_by ?? [] };
  if (result.is_error) return { ...decided, state: { phase: "failed", reason: result.result } };
  return { ...decided, state: { phase: "done", output: result.result, media: result.media ?? [] } };
}

export function between(from: string | undefined, to: string | undefined): number | null {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;
}

/** The arguments as far as they are readable: whole JSON, or the fields of JSON that is still being written. */
export function argumentsOf(text: string): Record<string, unknown> {
  const whole = parsed(text);
  if (whole) return whole;
  const fields: Record<string, unknown> = {};
  for (const [, name, value] of text.matchAll(/"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)/g)) {
    if (name && value !== undefined) fields[name] = unescaped(value);
  }
  return fields;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** A structured result, or null where the tool answered in plain text. */
export function structured(output: string): Record<string, unknown> | null {
  return output.startsWith("{") ? parsed(output) : null;
}

export function textField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}
