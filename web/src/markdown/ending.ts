/** The end of a text that is still being written, as it will look: marks that are open are closed, half ones left out. */

const SPACE = /\s/;
const LETTER = /[\p{L}\p{N}]/u;
/** A tag or the address of a link that has only begun. */
const HALF_TAG = /<\/?[a-z]*$/i;
const HALF_LINK = /!?\[([^\]\n]*)\](?:\([^)\s]*)?$/;

export function ended(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  if (!/[*_~`<\]]/.test(line)) return text;
  return text.slice(0, start) + new Line(line.replace(HALF_TAG, "").replace(HALF_LINK, "$1")).ended();
}

/** One line, read from mark to mark. */
class Line {
  #at = 0;
  #open: string[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  ended(): string {
    const row = this.#text.trimStart().startsWith("|");
    while (this.#at < this.#text.length) {
      const letter = this.#text[this.#at] as string;
      if (letter === "\\") this.#at += 2;
      else if (letter === "`") {
        const code = this.#code();
        if (code !== null) return code;
      } else if ("*_~".includes(letter)) {
        const rest = this.#mark(this.#run(letter));
        if (rest !== null) return rest;
      } else {
        if (row && letter === "|") this.#open = [];
        this.#at++;
      }
    }
    return this.#closed(this.#text);
  }

  #run(letter: string): string {
    let end = this.#at;
    while (this.#text[end] === letter) end++;
    return this.#text.slice(this.#at, end);
  }

  /** Pass a code span; where its end is missing, the line with it. */
  #code(): string | null {
    const mark = this.#run("`");
    const inner = this.#at + mark.length;
    const end = this.#text.indexOf(mark, inner);
    if (end === -1) return this.#closed(this.#text.slice(0, this.#at), this.#text.slice(inner), mark);
    this.#at = end + mark.length;
    return null;
  }

  /** Pass a mark of emphasis; where the line ends with one that closes nothing, the line without it. */
  #mark(mark: string): string | null {
    const before = this.#text[this.#at - 1] ?? " ";
    const after = this.#text[this.#at + mark.length];
    const left = SPACE.test(before) ? mark.length : this.#close(mark);
    if (after === undefined && left > 0)
      return this.#closed(this.#text.slice(0, this.#at + mark.length - left));
    const opens = left === mark.length && after !== undefined && !SPACE.test(after) && !LETTER.test(before);
    if (opens && mark.length <= 3 && (mark[0] !== "~" || mark.length === 2)) this.#open.push(mark);
    this.#at += mark.length;
    return null;
  }

  /** Close what the mark closes; how much of it is left. */
  #close(mark: string): number {
    let left = mark.length;
    for (;;) {
      const last = this.#open.at(-1);
      if (!last || last[0] !== mark[0] || last.length > left) return left;
      this.#open.pop();
      left -= last.length;
    }
  }

  #closed(before: string, code = "", mark = ""): string {
    // A half end of the code's mark is none of the code.
    const inner = mark ? code.replace(/`+$/, "") : "";
    const whole = inner.trim() ? before + mark + inner + mark : before;
    if (this.#open.length === 0) return whole;
    return whole.trimEnd() + this.#open.toReversed().join("");
  }
}
