import { expect, test } from "vitest";
import { tableOf } from "./table.ts";

test("rows and values, in quotes where they hold what separates them", () => {
  expect(tableOf('name,said\r\nAda,"one, ""two""\nthree"\n', ",")).toEqual([
    ["name", "said"],
    ["Ada", 'one, "two"\nthree'],
  ]);
});

test("tabs separate, too, and the last line needs no end", () => {
  expect(tableOf("a\tb\n1\t", "\t")).toEqual([
    ["a", "b"],
    ["1", ""],
  ]);
  expect(tableOf("", ",")).toEqual([]);
});
