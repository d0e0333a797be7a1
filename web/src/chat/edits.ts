/** The changes a conversation tells of, for when the workspace itself cannot be asked. */

import type { Message } from "../api/types.ts";

const DIFF = /^(diff --git|--- )/m;

/** Every diff that the agent's edits gave, oldest first. */
export function editsIn(messages: readonly Message[]): string {
  const results = messages.flatMap((message) => message.parts.filter((part) => part.type === "tool_result"));
  const edits = results.filter((part) => part.tool === "edit_files" && !part.is_error);
  return edits.map((part) => part.result.slice(Math.max(0, part.result.search(DIFF)))).join("\n");
}
