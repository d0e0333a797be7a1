/** Turns that are over, with their work folded under one line, so that the answer stands out. Pure. */

import { groupKey } from "./calls.ts";
import type { Row } from "./rows.ts";
import type { Turn } from "./turn.ts";

type WorkLine = Extract<Row, { kind: "work" }>;

export interface Folded {
  /** What is drawn. A closed line is a row of its own. */
  rows: Row[];
  /** Open lines, by the row that each stands above: no other row changes its place when one comes or opens. */
  lines: ReadonlyMap<string, WorkLine>;
  /** The line that a row is under, by their keys, whether it is open or not. */
  within: ReadonlyMap<string, string>;
}

/** One row is a line already. */
const LEAST = 2;
/** Calls that somebody reads or answers are no work to be folded away. */
const STANDING = new Set(["ask_user_question", "propose_plan", "attach_file"]);

/** What a row is opened by, and what opens within it. */
export function openingKeys(row: Row): string[] {
  if (row.kind === "calls") return [groupKey(row.key), ...row.calls.map((call) => call.key)];
  if (row.kind === "user") return row.parts.map((_, at) => `${row.key}.${at}`);
  return row.kind === "reasoning" ? [row.key] : [];
}

/** The row that a line stands in, or above. */
export function headOf(line: WorkLine): string {
  return line.rows[0]?.key ?? line.key;
}

export function folded(rows: readonly Row[], isOpen: (key: string) => boolean): Folded {
  const work = workLines(rows);
  const within = new Map(work.flatMap((line) => line.rows.map((row) => [row.key, line.key] as const)));
  const byHead = new Map(work.map((line) => [headOf(line), line]));
  const drawn = rows.flatMap((row): Row[] => {
    const line = within.get(row.key);
    if (!line || isOpen(line)) return [row];
    const head = byHead.get(row.key);
    return head ? [head] : [];
  });
  return { rows: drawn, lines: new Map([...byHead].filter(([, line]) => isOpen(line.key))), within };
}

/** The lines that stay open when they come: somebody opened what is under them, or reads it. */
export function keptOpen(
  before: readonly Row[],
  after: readonly Row[],
  isRead: (row: Row) => boolean,
): string[] {
  const known = new Set(before.map((row) => row.key));
  const lines = new Set(workLines(before).map((line) => line.key));
  return workLines(after)
    .filter((line) => !lines.has(line.key) && line.rows.some((row) => known.has(row.key) && isRead(row)))
    .map((line) => line.key);
}

/** A line for each run of work in the turns that are over. */
function workLines(rows: readonly Row[]): WorkLine[] {
  const lines: WorkLine[] = [];
  let begun = 0;
  for (const [at, row] of rows.entries()) {
    if (row.kind !== "turn") continue;
    const asked = rows.findLastIndex((other, index) => index < at && index >= begun && other.kind === "user");
    if (row.turn.ending === "complete")
      lines.push(...linesOf(rows.slice(asked < 0 ? begun : asked + 1, at), row.turn));
    begun = at + 1;
  }
  return lines;
}

function linesOf(rows: readonly Row[], turn: Turn): WorkLine[] {
  const answer = rows.findLastIndex((row) => row.kind === "text");
  if (answer < 0) return [];
  // What was said in one go is one answer.
  const first = rows.findLastIndex((row, at) => at < answer && row.kind !== "text") + 1;
  const runs = runsOf(rows, (row, at) => isWork(row) && (at < first || at > answer)).filter(
    (run) => run.length >= LEAST,
  );
  return runs.flatMap((run): WorkLine[] => {
    const [head] = run;
    if (!head) return [];
    const { key, number } = head;
    return [{ kind: "work", key: `w${key}`, number, rows: run, turn: runs.length > 1 ? null : turn }];
  });
}

/** The rows cut into runs of those that fit; each of the others is a run of its own. */
function runsOf(rows: readonly Row[], fits: (row: Row, at: number) => boolean): Row[][] {
  const runs: Row[][] = [];
  let growing = false;
  for (const [at, row] of rows.entries()) {
    const fit = fits(row, at);
    if (fit && growing) runs.at(-1)?.push(row);
    else runs.push([row]);
    growing = fit;
  }
  return runs;
}

function isWork(row: Row): boolean {
  if (row.kind === "calls") return !row.calls.some((call) => STANDING.has(call.part.tool));
  return row.kind === "reasoning" || row.kind === "text";
}
