/** What people said in a chat, newest first: what the page holds is known at once, the rest the server lists. */

import type { Content, Part } from "../../api/types.ts";
import type { ChatState } from "./state.ts";

/** An entry of the server's list. */
export interface Prompt {
  number: number;
  text: string;
}

export function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n\n")
    .trim();
}

/** What somebody said, to be said again; with another text, where one is given. */
export function contentOf(parts: readonly Part[], text = textOf(parts)): Content[] {
  const others = parts.filter((part) => part.type === "file" || part.type === "file_reference");
  return text ? [...others, { type: "text", text }] : others;
}

export function saidIn(
  { sends, queue, messages }: Pick<ChatState, "sends" | "queue" | "messages">,
  listed: readonly Prompt[],
): string[] {
  const said = messages.filter((message) => message.role === "user" && !isAside(message.kind));
  const held = [...said.map((entry) => entry.parts), ...queue.map((entry) => entry.parts)];
  const here = [...held, ...sends.map((entry) => entry.content)].map(textOf).reverse();
  const oldest = messages[0]?.number ?? Number.POSITIVE_INFINITY;
  const before = listed.filter((entry) => entry.number < oldest).map((entry) => entry.text);
  return [...here, ...before].filter(Boolean);
}

/** Rows in a person's name that nobody typed: notices, what hooks added, context. */
function isAside(kind: string | undefined): boolean {
  return kind !== undefined && kind !== "ordinary";
}
