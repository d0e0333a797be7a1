import { expect, test } from "vitest";
import { read, written } from "./values.ts";

test("a dotted name reaches into objects and leaves the rest", () => {
  const before = { options: { effort: "low" }, name: "a" };
  const after = written(before, "options.price.input", 3);
  expect(after).toEqual({ options: { effort: "low", price: { input: 3 } }, name: "a" });
  expect(read(after, "options.price.input")).toBe(3);
  expect(before).toEqual({ options: { effort: "low" }, name: "a" });
});
