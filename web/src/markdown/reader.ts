/** The markdown grammar of the page: GitHub's, plus math. */

import { Lexer, Marked, type Token, type TokenizerExtension } from "marked";

export interface MathToken {
  type: "math";
  raw: string;
  tex: string;
  display: boolean;
}

/** Prose between two dollar signs: a price and a word, or words in a row. TeX would have commands in it. */
function isProse(tex: string): boolean {
  if (tex.includes("\\")) return false;
  return /^\s*\d[^=^_]*\p{L}{2}/u.test(tex) || /\p{L}{2,}[,;.]? +\p{L}{2,}/u.test(tex);
}

const WORD_BEFORE = /^[\p{L}\p{N}]+\$+/u;
const LETTER = /[\p{L}\p{N}]/u;

/** Where the next formula may begin, with the word that stands right before its mark, if one does. */
function wordOrMark(source: string): number | undefined {
  let at = source.indexOf("$");
  if (at === -1) return undefined;
  while (at > 0 && LETTER.test(source[at - 1] as string)) at--;
  return at;
}

/** Where the mark stands at the beginning of a line. */
const lineOf = (mark: string) => (source: string) => {
  const at = source.indexOf(`\n${mark}`);
  return at === -1 ? undefined : at + 1;
};

const markOf = (mark: string) => (source: string) => {
  const at = source.indexOf(mark);
  return at === -1 ? undefined : at;
};

function math(
  name: string,
  pattern: RegExp,
  display: boolean,
  start: (source: string) => number | undefined,
): TokenizerExtension {
  return {
    name,
    level: name.startsWith("block") ? "block" : "inline",
    start,
    tokenizer: (source) => {
      const found = pattern.exec(source);
      const tex = (found?.[1] ?? "").trim();
      if (!found || tex === "" || isProse(tex)) return undefined;
      return { type: "math", raw: found[0], tex, display };
    },
  };
}

/** A dollar sign right after a word is money, or part of a name: it opens no formula. */
const money: TokenizerExtension = {
  name: "money",
  level: "inline",
  start: wordOrMark,
  tokenizer: (source) => {
    const raw = WORD_BEFORE.exec(source)?.[0];
    return raw ? { type: "text", raw, text: raw } : undefined;
  },
};

const grammar = new Marked({
  gfm: true,
  extensions: [
    math("block_dollars", /^\$\$((?:(?!\n[ \t]*\n)[^`$])+)\$\$(?:\n+|$)/, true, lineOf("$$")),
    math("block_brackets", /^\\\[((?:(?!\n[ \t]*\n)[^`])+?)\\\](?:\n+|$)/, true, lineOf("\\[")),
    money,
    math("dollars", /^\$\$([^$`\n]+)\$\$/, true, markOf("$")),
    math("brackets", /^\\\[([^`\n]+?)\\\]/, true, markOf("\\[")),
    math("parentheses", /^\\\(([^`\n]+?)\\\)/, false, markOf("\\(")),
    // Not before a letter, a digit or a bracket, so that "$5/$10" stays money and "$A:${B}" a pair of variables.
    math("dollar", /^\$(?!\s)([^$`\n]+)(?<!\s)\$(?![\p{L}\p{N}({])/u, false, markOf("$")),
  ],
});

export function lex(text: string): Token[] {
  return new Lexer(grammar.defaults).lex(text);
}

export function lexInline(text: string): Token[] {
  return new Lexer(grammar.defaults).inlineTokens(text);
}
