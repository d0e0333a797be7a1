import { expect, test } from "vitest";
import { everyDay, lastDays, ticksUpTo, totalOf } from "./usage.ts";

const line = (name: string, cost: number) => ({
  name,
  calls: 1,
  input: 10,
  output: 5,
  cost,
  unpriced_calls: 0,
});

test("a range has all its days, also those on which nothing was used", () => {
  const days = everyDay([line("2026-06-02", 7)], { from: "2026-06-01", to: "2026-06-03" });
  expect(days.map((day) => [day.name, day.cost])).toEqual([
    ["2026-06-01", 0],
    ["2026-06-02", 7],
    ["2026-06-03", 0],
  ]);
});

test("the last seven days end today", () => {
  expect(lastDays(7, Date.parse("2026-06-10T23:30:00Z"))).toEqual({ from: "2026-06-04", to: "2026-06-10" });
});

test("a scale has round steps and reaches the most", () => {
  expect([ticksUpTo(0), ticksUpTo(9), ticksUpTo(1_234), ticksUpTo(0.03)]).toEqual([
    [0],
    [0, 5, 10],
    [0, 500, 1_000, 1_500],
    [0, 0.01, 0.02, 0.03],
  ]);
});

test("a total adds up", () => {
  expect(totalOf([line("a", 7), line("b", 3)])).toEqual({
    ...line("Total", 10),
    calls: 2,
    input: 20,
    output: 10,
  });
});
