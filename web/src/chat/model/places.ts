/** Where in the transcript something is: the row of a message, the row that says a text, the questions. Pure. */

import type { Row } from "./rows.ts";

/** What somebody looks for, as it may stand in a text: letters of either case, any blanks for a blank. */
export function patternOf(text: string): RegExp | null {
  const pieces = text.trim().split(/\s+/).filter(Boolean).map(escaped);
  return pieces.length > 0 ? new RegExp(pieces.join("\\s+"), "giu") : null;
}

/** Any of some words. */
export function patternOfAny(words: readonly string[]): RegExp | null {
  const pieces = words.filter(Boolean).map(escaped);
  return pieces.length > 0 ? new RegExp(pieces.join("|"), "giu") : null;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The row of a message: of several the one that says the text, else the first. A result stands in the row of its call. */
export function placeOf(rows: readonly Row[], number: number, pattern: RegExp | null): number {
  const own = rows.flatMap((row, at) => (row.number === number && row.kind !== "turn" ? [at] : []));
  const fallback = rows.findLastIndex((row) => row.number > 0 && row.number < number && row.kind !== "turn");
  const first = own[0] ?? fallback;
  if (!pattern) return first;
  return own.find((at) => says(rows[at], pattern)) ?? first;
}

/** The question before or after a row; -1 where there is none. */
export function questionFrom(rows: readonly Row[], at: number, by: 1 | -1): number {
  const isQuestion = (row: Row) => row.kind === "user";
  return by === 1
    ? rows.findIndex((row, index) => index > at && isQuestion(row))
    : rows.findLastIndex((row, index) => index < at && isQuestion(row));
}

function says(row: Row | undefined, pattern: RegExp): boolean {
  if (!row) return false;
  // A pattern that looks for all of them remembers where it was.
  return textsOf(row).some((text) => text.search(pattern) !== -1);
}

function textsOf(row: Row): string[] {
  switch (row.kind) {
    case "text":
      return [row.text];
    case "user":
      return row.parts.map((part) => (part.type === "text" ? part.text : ""));
    case "reasoning":
      return [row.part.text];
    case "notice":
      return [row.notice.text];
    case "calls":
      return row.calls.flatMap(({ part, state }) => [
        part.args,
        "output" in state ? state.output : "reason" in state ? state.reason : "",
      ]);
    default:
      return [];
  }
}
