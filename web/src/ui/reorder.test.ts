import { expect, test } from "vitest";
import { moved } from "./reorder.ts";

test("an item moves and the others close the gap", () => {
  expect([moved([1, 2, 3], 0, 2), moved([1, 2, 3], 2, 0), moved([1, 2, 3], 1, 9)]).toEqual([
    [2, 3, 1],
    [3, 1, 2],
    [1, 3, 2],
  ]);
});
