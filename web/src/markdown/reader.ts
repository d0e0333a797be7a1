/** The markdown grammar of the page: GitHub's, plus math. */

import { Lexer, Marked, type Token, type TokenizerExtension } from "marked";

export interface MathToken {
  type: "math";
  raw: string;
  tex: string;
  display: boolean;
}

function math(
  level: "block" | "inline",
  pattern: RegExp,
  hint: string,
  display: boolean,
): TokenizerExtension {
  return {
    name: `math_${level}_${display}_${hint.length}${hint.charCodeAt(0)}`,
    level,
    start: (source) => {
      const at = source.indexOf(hint);
      return at === -1 ? undefined : at;
    },
    tokenizer: (source) => {
      const found = pattern.exec(source);
      return found ? { type: "math", raw: found[0], tex: (found[1] ?? "").trim(), display } : undefined;
    },
  };
}

const grammar = new Marked({
  gfm: true,
  extensions: [
    math("block", /^\$\$([\s\S]+?)\$\$(?:\n+|$)/, "$$", true),
    math("block", /^\\\[([\s\S]+?)\\\](?:\n+|$)/, "\\[", true),
    math("inline", /^\$\$([^$\n]+?)\$\$/, "$$", true),
    math("inline", /^\\\((.+?)\\\)/, "\\(", false),
    // Not followed by a digit, so that "$5 and $10" stays money.
    math("inline", /^\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)/, "$", false),
  ],
});

export function lex(text: string): Token[] {
  return new Lexer(grammar.defaults).lex(text);
}
