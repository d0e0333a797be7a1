import { expect, test } from "vitest";
import { delayBefore } from "./stream.ts";

test("the delay doubles from one second to ten", () => {
  expect([0, 1, 2, 3, 4, 9].map((tries) => delayBefore(tries, 0.5))).toEqual([
    1000, 2000, 4000, 8000, 10000, 10000,
  ]);
});

test("the delay is spread by thirty percent either way", () => {
  expect([delayBefore(0, 0), delayBefore(0, 1)].map(Math.round)).toEqual([700, 1300]);
});
