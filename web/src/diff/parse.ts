/** Unified diffs, read into files, hunks and numbered lines. */

export interface DiffLine {
  kind: "same" | "added" | "removed";
  before: number | null;
  after: number | null;
  text: string;
}
export interface Hunk {
  heading: string;
  lines: DiffLine[];
}
export interface DiffFile {
  path: string;
  was: string;
  hunks: Hunk[];
  added: number;
  removed: number;
  binary: boolean;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;
const NAMED = /^rename (from|to) (.+)$/;

export function parseDiff(text: string): DiffFile[] {
  const reading = new Reading();
  for (const line of text.split("\n")) reading.read(line);
  return reading.files;
}

class Reading {
  readonly files: DiffFile[] = [];
  #hunk: Hunk | null = null;
  /** The numbers of the next lines, and how many of each side the hunk still has. */
  #before = 0;
  #after = 0;
  #left = { before: 0, after: 0 };

  get #file(): DiffFile | null {
    return this.files.at(-1) ?? null;
  }

  #start(names: Partial<DiffFile> = {}): DiffFile {
    const file = { path: "", was: "", hunks: [], added: 0, removed: 0, binary: false, ...names };
    this.#hunk = null;
    this.files.push(file);
    return file;
  }

  read(line: string): void {
    // Within a hunk, a line that looks like a head is a line: "-- a comment" that was removed has three dashes.
    if (this.#hunk && this.#file && this.#left.before + this.#left.after > 0) {
      const read = lineOf(line, this.#before, this.#after);
      if (read) return this.#take(read, this.#file, this.#hunk);
      if (line.startsWith("\\")) return;
      this.#left = { before: 0, after: 0 };
    }
    this.#readHead(line);
  }

  #take(read: DiffLine, file: DiffFile, hunk: Hunk): void {
    hunk.lines.push(read);
    if (read.kind !== "added") {
      this.#before++;
      this.#left.before--;
    }
    if (read.kind !== "removed") {
      this.#after++;
      this.#left.after--;
    }
    if (read.kind === "added") file.added++;
    if (read.kind === "removed") file.removed++;
  }

  #readHead(line: string): void {
    const head = HUNK.exec(line);
    const named = NAMED.exec(line);
    const file = this.#file;
    if (line.startsWith("diff --git ")) {
      const names = / a\/(.+) b\/(.+)$/.exec(line);
      this.#start({ was: names?.[1] ?? "", path: names?.[2] ?? "" });
    } else if (named && file) {
      if (named[1] === "from") file.was = named[2] ?? "";
      else file.path = named[2] ?? "";
    } else if (line.startsWith("--- ")) {
      const current = file?.hunks.length === 0 ? file : this.#start();
      current.was = nameIn(line);
      this.#hunk = null;
    } else if (line.startsWith("+++ ") && file) {
      const name = nameIn(line);
      file.path = name === "/dev/null" ? file.was : name;
    } else if (head) {
      this.#begin(head, file ?? this.#start());
    } else if (/^(Binary files|GIT binary patch)/.test(line) && file) {
      file.binary = true;
    }
  }

  #begin(head: RegExpExecArray, file: DiffFile): void {
    const [, before, many, after, more, heading] = head;
    this.#hunk = { heading: (heading ?? "").trim(), lines: [] };
    file.hunks.push(this.#hunk);
    [this.#before, this.#after] = [Number(before), Number(after)];
    this.#left = { before: Number(many ?? 1), after: Number(more ?? 1) };
  }
}

function lineOf(line: string, before: number, after: number): DiffLine | null {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", before: null, after, text };
  if (line.startsWith("-")) return { kind: "removed", before, after: null, text };
  if (line.startsWith(" ")) return { kind: "same", before, after, text };
  return null;
}

function nameIn(line: string): string {
  return (
    line
      .slice(4)
      .split("\t")[0]
      ?.replace(/^[ab]\//, "") ?? ""
  );
}

export type Pair = { left: DiffLine | null; right: DiffLine | null };

/** Lines side by side: a run of removals stands beside the run of additions that replaced it. */
export function paired(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
