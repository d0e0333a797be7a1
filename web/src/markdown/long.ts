/** Where a block that grows without end can be cut, so that what is settled of it is not read again. */

import type { Token, Tokens } from "marked";
import { lexInline } from "./reader.ts";

export interface Cut {
  /** The beginning, that nothing changes any more. */
  piece: string;
  /** What the rest needs before it to be read as the same kind of block. */
  head: string;
}

const MOST_ROWS = 24;
/** What follows may still change the last ones. */
const OPEN_ROWS = 4;
const MOST_LETTERS = 3_000;
const OPEN_LETTERS = 1_000;
/** An open mark that is further away than this closes nothing. */
const REACH = 1_000;
const STEP = 200;
const STEPS = 5;

export function cutOf(token: Token): Cut | null {
  if (token.type === "list") return cutList(token as Tokens.List);
  if (token.type === "table") return cutTable(token as Tokens.Table);
  return token.type === "paragraph" ? cutParagraph(token.raw) : null;
}

function cutList({ items, raw }: Tokens.List): Cut | null {
  if (items.length < MOST_ROWS) return null;
  const piece = items
    .slice(0, -OPEN_ROWS)
    .map((item) => item.raw)
    .join("");
  return raw.startsWith(piece) && piece.endsWith("\n") ? { piece, head: "" } : null;
}

function cutTable({ rows, raw }: Tokens.Table): Cut | null {
  if (rows.length < MOST_ROWS) return null;
  const lines = raw.split("\n");
  const piece = lines.slice(0, 2 + rows.length - OPEN_ROWS).join("\n");
  return { piece: `${piece}\n`, head: `${lines.slice(0, 2).join("\n")}\n` };
}

/** After a word, where no mark is open that could close later. */
function cutParagraph(raw: string): Cut | null {
  if (raw.length < MOST_LETTERS) return null;
  for (let step = 0; step < STEPS; step++) {
    const at = wordBefore(raw, raw.length - OPEN_LETTERS - step * STEP);
    if (at > 0 && isWhole(raw.slice(Math.max(0, at - REACH), at)))
      return { piece: raw.slice(0, at), head: "" };
  }
  return null;
}

/** The last place up to `end` where a word begins after a space. */
function wordBefore(raw: string, end: number): number {
  for (let at = end; at > end - STEP; at--) {
    if (raw[at - 1] === " " && raw[at - 2] !== " " && /\p{L}/u.test(raw[at] ?? "")) return at;
  }
  return 0;
}

const OPEN_MARK = /[*`[<~\\$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u;
const PRICE = /\$\d[\d.,]*/g;

function isWhole(text: string): boolean {
  const last = lexInline(text).filter((token) => token.type === "text");
  return !last.some((token) => OPEN_MARK.test(token.raw.replace(PRICE, "")));
}
