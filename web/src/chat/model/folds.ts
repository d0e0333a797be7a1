/** Turns that are over, with their work folded under one line, so that the answer stands out. Pure. */

import { groupKey } from "./calls.ts";
import type { Row } from "./rows.ts";

export interface Folded {
  /** What is drawn. */
  rows: Row[];
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

export function folded(rows: readonly Row[], isOpen: (key: string) => boolean): Folded {
  const drawn: Row[] = [];
  const within = new Map<string, string>();
  let begun = 0;
  for (const [at, row] of rows.entries()) {
    if (row.kind !== "turn") continue;
    const from =
      rows.findLastIndex((other, index) => index < at && index >= begun && other.kind === "user") + 1;
    drawn.push(...rows.slice(begun, Math.max(from, begun)));
    const turn = rows.slice(Math.max(from, begun), at);
    drawn.push(...(row.turn.ending === "complete" ? foldedTurn(turn, row, within, isOpen) : turn), row);
    begun = at + 1;
  }
  return { rows: [...drawn, ...rows.slice(begun)], within };
}

function foldedTurn(
  rows: readonly Row[],
  { turn }: Extract<Row, { kind: "turn" }>,
  within: Map<string, string>,
  isOpen: (key: string) => boolean,
): Row[] {
  const answer = rows.findLastIndex((row) => row.kind === "text");
  if (answer < 0) return [...rows];
  // What was said in one go is one answer.
  const first = rows.findLastIndex((row, at) => at < answer && row.kind !== "text") + 1;
  const runs = runsOf(rows, (row, at) => isWork(row) && (at < first || at > answer));
  const several = runs.filter((run) => run.length >= LEAST).length > 1;
  return runs.flatMap((run): Row[] => {
    const [head] = run;
    if (!head || run.length < LEAST) return run;
    const key = `w${head.key}`;
    for (const row of run) within.set(row.key, key);
    const line: Row = { kind: "work", key, number: head.number, rows: run, turn: several ? null : turn };
    return isOpen(key) ? [line, ...run] : [line];
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
