/** Going through a conversation: to a message, to a question, to its start, whether it is on the page or not. */

import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { type Folded, openingKeys } from "../chat/model/folds.ts";
import { placeOf, questionFrom } from "../chat/model/places.ts";
import type { Row } from "../chat/model/rows.ts";
import { shownOlder } from "../chat/model/stretch.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { useToasts } from "../ui/Toasts.tsx";

/** The space above a row that was gone to. */
const ABOVE_PX = 16;
/** Further than any conversation: the browser stops at the end. */
const END_PX = 1e9;

/** Where somebody wants to be, until the rows are there. */
type Goal =
  | { kind: "message"; number: number; pattern: RegExp | null }
  | { kind: "start" }
  | { kind: "question"; by: 1 | -1; from: string | undefined };

interface Drawn extends Folded {
  /** Every row, also those that are folded away. */
  all: readonly Row[];
}

interface Scrolling {
  list: RefObject<VirtualizerHandle | null>;
  leaveEnd: () => void;
  stickToEnd: () => void;
}

export interface Travel {
  /** The row that was gone to. */
  here: string | null;
  toMessage: (number: number, pattern: RegExp | null) => void;
  toQuestion: (by: 1 | -1) => void;
  toStart: () => void;
  toEnd: () => void;
  /** The message at the top of what is seen. */
  reading: () => number;
}

export function useTravel(drawn: Drawn, { list, leaveEnd, stickToEnd }: Scrolling): Travel {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [goal, setGoal] = useState<Goal | null>(null);
  const [here, setHere] = useState<string | null>(null);
  const latest = useRef(drawn);
  latest.current = drawn;
  const topmost = useCallback(
    () => list.current?.findItemIndex(list.current.scrollOffset + ABOVE_PX + 1) ?? 0,
    [list],
  );
  const head = useCallback(
    (next: Goal, way: Promise<void>) => {
      setGoal(next);
      way.catch((error) => {
        setGoal(null);
        complain(error);
      });
    },
    [complain],
  );
  useLayoutEffect(() => {
    if (!goal) return;
    const row = rowOf(goal, drawn, live);
    if (row === "more")
      return head(goal, goal.kind === "question" && goal.by === 1 ? live.loadNewer() : live.loadOlder());
    if (row === "none") return setGoal(null);
    if (row === "later") return;
    reveal(live, drawn, row, goal.kind === "message" && goal.pattern !== null);
    const at = drawn.rows.indexOf(row);
    if (at < 0) return;
    leaveEnd();
    setGoal(null);
    setHere(row.key);
    const align = goal.kind === "message" ? "center" : "start";
    list.current?.scrollToIndex(at, { align, offset: align === "start" ? -ABOVE_PX : 0 });
  }, [goal, drawn, live, list, leaveEnd, head]);
  const toEnd = useCallback(() => {
    setGoal(null);
    live.goToEnd();
    // The list is told as well: it goes on to the row that it was last sent to, while rows on its way are measured.
    list.current?.scrollTo(END_PX);
    stickToEnd();
  }, [live, list, stickToEnd]);
  return {
    here,
    toEnd,
    reading: useCallback(() => latest.current.rows[topmost()]?.number ?? 0, [topmost]),
    toStart: useCallback(() => head({ kind: "start" }, live.goToStart()), [head, live]),
    toMessage: useCallback(
      (number, pattern) => head({ kind: "message", number, pattern }, live.goTo(number)),
      [head, live],
    ),
    toQuestion: useCallback(
      (by) => {
        const at = topmost();
        const last = by === 1 && questionFrom(latest.current.rows, at, 1) < 0 && !live.state.stretch;
        if (last) toEnd();
        else setGoal({ kind: "question", by, from: latest.current.rows[at]?.key });
      },
      [live, toEnd, topmost],
    ),
  };
}

/** The row of a goal; or whether more has to be fetched, it comes by itself, or there is none. */
function rowOf(goal: Goal, { all, rows }: Drawn, live: LiveChat): Row | "more" | "later" | "none" {
  const older = shownOlder(live.state);
  if (goal.kind === "start") return older === "none" ? (rows[0] ?? "none") : "later";
  if (goal.kind === "message") {
    const row = all[placeOf(all, goal.number, goal.pattern)];
    return row && reaches(all, goal.number) ? row : "later";
  }
  const from = rows.findIndex((row) => row.key === goal.from);
  const row = rows[questionFrom(rows, from, goal.by)];
  if (row) return row;
  const left = goal.by === 1 ? (live.state.stretch?.newer ?? "none") : older;
  return left === "loading" ? "later" : left;
}

/** Whether the rows are those around a message, rather than others that are still shown. */
function reaches(rows: readonly Row[], number: number): boolean {
  const numbers = rows.map((row) => row.number).filter(Boolean);
  return numbers.some((each) => each <= number) && numbers.some((each) => each >= number);
}

/** Open what a row is folded under; and the row itself, where something in it was looked for. */
function reveal(live: LiveChat, { within }: Drawn, row: Row, inside: boolean): void {
  const fold = within.get(row.key);
  if (fold) live.open.put(fold, true);
  if (inside) for (const key of openingKeys(row)) live.open.put(key, true);
}
