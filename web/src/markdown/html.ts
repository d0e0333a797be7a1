/** The HTML that is shown as meant: a short list of elements, and nothing of their attributes. */

import { t } from "../language/catalogue.ts";

const SHOWN = new Set(
  "b strong i em u s del ins kbd mark q samp small sub sup var code".split(" "),
) as ReadonlySet<string>;

export interface Tag {
  name: string;
  closes: boolean;
}

/** The element of the list that this tag opens or closes. */
export function tagOf(raw: string): Tag | null {
  const found = /^<(\/?)([a-z]+)(?:\s[^>]*)?>$/i.exec(raw);
  const name = found?.[2]?.toLowerCase() ?? "";
  return SHOWN.has(name) ? { name, closes: found?.[1] === "/" } : null;
}

export const isBreak = (raw: string) => /^<br\s*\/?>$/i.test(raw.trim());
export const isComment = (raw: string) => raw.startsWith("<!--");

export interface Opening {
  open: boolean;
  summary: string;
  /** What stands in it right after its summary. */
  body: string;
}

const OPENING = /^\s*<details(\s+open(?:=["']?\w*["']?)?)?\s*>\s*(?:<summary[^>]*>([\s\S]*?)<\/summary>)?/i;
const CLOSING = /<\/details>\s*$/i;

export function openingOf(raw: string): Opening | null {
  const found = OPENING.exec(raw);
  if (!found) return null;
  return {
    open: !!found[1],
    summary: (found[2] ?? "").trim() || t("Details"),
    body: raw.slice(found[0].length),
  };
}

/** What stands before the end of the innermost details, or null where this does not end them. */
export function beforeClosing(raw: string): string | null {
  return CLOSING.test(raw) ? raw.replace(CLOSING, "") : null;
}
