import { expect, test } from "vitest";
import { freshId } from "./freshId.ts";

test("a fresh id is a random UUID, and another one each time", () => {
  const made = Array.from({ length: 1_000 }, freshId);
  for (const id of made)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(1_000);
});
