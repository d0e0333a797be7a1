import { expect, test } from "vitest";
import { Memory } from "../../stories/memory.ts";
import { keyFor } from "./beginning.ts";

test("what is asked again for the same has the same key, also after a reload; anything else has its own", () => {
  const storage = new Memory();
  const first = keyFor("hello", storage);
  expect(keyFor("hello", storage)).toBe(first);
  const other = keyFor("hello there", storage);
  expect(other).not.toBe(first);
  expect(keyFor("hello there", storage)).toBe(other);
});

test("a full storage does not keep anybody from beginning", () => {
  const storage = new Memory();
  storage.setItem = () => {
    throw new Error("quota");
  };
  expect(keyFor("hello", storage)).toHaveLength(36);
});
