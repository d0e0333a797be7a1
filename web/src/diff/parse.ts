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

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let file: DiffFile | null = null;
  let hunk: Hunk | null = null;
  let [before, after] = [0, 0];
  const start = () => {
    file = { path: "", was: "", hunks: [], added: 0, removed: 0, binary: false };
    hunk = null;
    files.push(file);
    return file;
  };
  for (const line of text.split("\n")) {
    const head = HUNK.exec(line);
    if (line.startsWith("diff --git ")) {
      const names = / a\/(.+) b\/(.+)$/.exec(line);
      Object.assign(start(), { was: names?.[1] ?? "", path: names?.[2] ?? "" });
    } else if (line.startsWith("--- ")) {
      const current: DiffFile = file && (file as DiffFile).hunks.length === 0 ? file : start();
      current.was = nameIn(line);
      hunk = null;
    } else if (line.startsWith("+++ ") && file) {
      const name = nameIn(line);
      (file as DiffFile).path = name === "/dev/null" ? (file as DiffFile).was : name;
    } else if (head) {
      hunk = { heading: (head[3] ?? "").trim(), lines: [] };
      (file ?? start()).hunks.push(hunk);
      [before, after] = [Number(head[1]), Number(head[2])];
    } else if (/^(Binary files|GIT binary patch)/.test(line) && file) {
      (file as DiffFile).binary = true;
    } else if (hunk && file) {
      const read = lineOf(line, before, after);
      if (!read) continue;
      (hunk as Hunk).lines.push(read);
      if (read.kind !== "added") before++;
      if (read.kind !== "removed") after++;
      if (read.kind === "added") (file as DiffFile).added++;
      if (read.kind === "removed") (file as DiffFile).removed++;
    }
  }
  return files;
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
