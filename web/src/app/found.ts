/** What somebody means who types into the palette. Pure. */

import { t } from "../language/catalogue.ts";
import type { Entry } from "./commands.tsx";

/** Entries that hold every word that was typed, the best first. */
export function found(query: string, commands: readonly Entry[], chats: readonly Entry[]): Entry[] {
  const meant = query.trim().toLowerCase();
  const words = meant.split(/\s+/);
  const holds = (entry: Entry) => {
    const text = `${entry.words} ${entry.also ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const matching = commands.filter(holds);
  // What is called as was typed comes first, so that chats found later do not push it from under Enter.
  const best =
    meant.length > 1 ? matching.filter((entry) => entry.words.toLowerCase().startsWith(meant)) : [];
  const rest = matching.filter((entry) => !best.includes(entry));
  return [...best.map((entry): Entry => ({ ...entry, group: t("Best match") })), ...chats, ...rest];
}

const SHOWN_UNASKED = new Set(["new", "/settings/profile", "/admin/providers"]);

/** Before anything is typed: the chats of late, what can be done to the open one, and the ways out. */
export function offered(commands: readonly Entry[], chats: readonly Entry[]): Entry[] {
  return [...chats, ...commands.filter(({ scope, key }) => scope === "chat" || SHOWN_UNASKED.has(key))];
}
