/** The changes a conversation tells of, for when the workspace itself cannot be asked. */

import type { Message, ToolCallPart } from "../api/types.ts";
import { argumentsOf, textField } from "./calls.ts";

const DIFF = /^(diff --git|--- )/m;

interface Edit {
  old_text?: string;
  new_text?: string;
  replace_all?: boolean;
}

/** A file as the agent wrote it, or the diffs of its edits to one that was there. */
type Told = { content: string } | { diffs: string[] };

/** One diff for each file that was written, and every diff of those that were only edited; oldest first. */
export function editsIn(messages: readonly Message[]): string {
  const calls = new Map<string, ToolCallPart>();
  const told = new Map<string, Told>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool_call") calls.set(part.call_id, part);
    if (part.type !== "tool_result" || part.is_error) continue;
    const fields = argumentsOf(calls.get(part.call_id)?.args ?? "");
    if (part.tool === "write_file" && textField(fields, "path"))
      told.set(textField(fields, "path"), { content: textField(fields, "content") });
    if (part.tool === "edit_files") edited(told, part.result, fields.files);
  }
  return [...told]
    .map(([path, file]) => ("content" in file ? created(path, file.content) : file.diffs.join("\n")))
    .join("\n");
}

/** Edits of what was written here change what was written; the others stay the diffs that they gave. */
function edited(told: Map<string, Told>, result: string, files: unknown): void {
  const diffs = result.slice(Math.max(0, result.search(DIFF))).split(/^(?=--- )/m);
  for (const diff of diffs) {
    const path = /^\+\+\+ (?:b\/)?(.+)$/m.exec(diff)?.[1];
    if (!path) continue;
    const file = told.get(path);
    if (file && "content" in file)
      told.set(path, { content: editsOf(files, path).reduce(applied, file.content) });
    else told.set(path, { diffs: [...(file?.diffs ?? []), diff.trimEnd()] });
  }
}

function editsOf(files: unknown, path: string): Edit[] {
  const list = Array.isArray(files) ? (files as { path?: string; edits?: Edit[] }[]) : [];
  return list.filter((file) => file.path === path).flatMap((file) => file.edits ?? []);
}

function applied(text: string, { old_text = "", new_text = "", replace_all }: Edit): string {
  if (!old_text) return text;
  return replace_all ? text.replaceAll(old_text, () => new_text) : text.replace(old_text, () => new_text);
}

function created(path: string, content: string): string {
  const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
  const added = lines.map((line) => `+${line}`);
  return ["--- /dev/null", `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`, ...added].join("\n");
}
