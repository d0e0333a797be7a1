import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

test("cells are quoted where they must be, and none becomes a formula", () => {
  expect(
    csvOf([
      ["name", "cost"],
      ['say "hi", twice', 0.5],
      ["=1+1", -3],
    ]),
  ).toBe('name,cost\r\n"say ""hi"", twice",0.5\r\n\'=1+1,-3\r\n');
});
