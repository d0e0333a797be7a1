/** What was used, from one day to another. No React. */

import { t } from "../language/catalogue.ts";

export type Group = "day" | "model" | "user" | "chat";

export interface UsageLine {
  name: string;
  chat_id?: string;
  calls: number;
  input: number;
  output: number;
  cost: number;
  unpriced_calls: number;
}

export interface Range {
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;
/** Nobody looks at more bars than that. */
const MOST_DAYS = 400;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** So many days until today, in the server's days. */
export function lastDays(count: number, now = Date.now()): Range {
  return { from: dayOf(now - (count - 1) * DAY_MS), to: dayOf(now) };
}

/** Every day of the range, also those on which nothing was used. */
export function everyDay(lines: readonly UsageLine[], { from, to }: Range): UsageLine[] {
  const known = new Map(lines.map((line) => [line.name, line]));
  const days: UsageLine[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < MOST_DAYS; at += DAY_MS) {
    const name = dayOf(at);
    const nothing = { name, calls: 0, input: 0, output: 0, cost: 0, unpriced_calls: 0 };
    days.push(known.get(name) ?? nothing);
  }
  return days;
}

export function totalOf(lines: readonly UsageLine[]): UsageLine {
  const sum = (of: (line: UsageLine) => number) => lines.reduce((before, line) => before + of(line), 0);
  return {
    name: t("Total"),
    calls: sum((line) => line.calls),
    input: sum((line) => line.input),
    output: sum((line) => line.output),
    cost: sum((line) => line.cost),
    unpriced_calls: sum((line) => line.unpriced_calls),
  };
}

/** Round numbers from nothing to at least the most, some three steps. */
export function ticksUpTo(most: number): number[] {
  if (most <= 0) return [0];
  const rough = most / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
