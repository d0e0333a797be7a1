/** Whom a message names: `@` and the name of somebody in the chat, blanks written as dots. */

import type { PersonOfChat } from "../api/types.ts";

export function nameAsWord(name: string): string {
  return name.trim().split(/\s+/u).join(".");
}

export function mentioned(text: string, people: readonly PersonOfChat[]): string[] | undefined {
  const words = new Set([...text.matchAll(/@([\p{L}\p{N}_./-]+)/gu)].map(([, word]) => plain(word ?? "")));
  const named = people.filter(({ name }) => words.has(plain(nameAsWord(name)))).map(({ id }) => id);
  return named.length > 0 ? named : undefined;
}

/** A full stop that ends a sentence is no part of a name. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[./-]+$/u, "");
}
