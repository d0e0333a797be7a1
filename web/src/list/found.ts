/** Where a search leads: to the message that it found, with the words that matched. */

import type { ChatCard } from "../api/types.ts";
import { withFields } from "../page/address.ts";

const MATCHED = /\*\*(.+?)\*\*/g;

export function addressOf({ id, match, snippet = "" }: ChatCard, search = ""): string {
  if (!match) return `/chats/${id}${search}`;
  const words = new Set([...snippet.matchAll(MATCHED)].map((found) => found[1]?.toLowerCase()));
  return `/chats/${match.chat_id}${withFields(search, { message: match.number, words: [...words].join(" ") })}`;
}
