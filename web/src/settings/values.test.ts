import { expect, test } from "vitest";
import { read, same, written } from "./values.ts";

test("a dotted name reaches into objects and leaves the rest", () => {
  const before = { options: { effort: "low" }, name: "a" };
  const after = written(before, "options.price.input", 3);
  expect(after).toEqual({ options: { effort: "low", price: { input: 3 } }, name: "a" });
  expect(read(after, "options.price.input")).toBe(3);
  expect(before).toEqual({ options: { effort: "low" }, name: "a" });
});

test("what is empty says nothing, and the order of names says nothing either", () => {
  expect(same({ a: 1, b: null }, { b: "", a: 1 })).toBe(true);
  expect(same(undefined, "")).toBe(true);
  expect(same({ a: { c: 1, d: 2 } }, { a: { d: 2, c: 1 } })).toBe(true);
  expect(same({ execute: "ask" }, {})).toBe(false);
  expect(same([1, 2], [2, 1])).toBe(false);
});
