import { expect, test } from "vitest";
import { card } from "../stories/fixtures.ts";
import { dismissing, isDismissed } from "./dismissed.ts";

const waiting = card("c1", { updated_at: "2026-06-15T09:00:00Z" });

test("what is dismissed stays away until the chat moves again", () => {
  const dismissed = dismissing({}, waiting);
  expect(isDismissed(waiting, dismissed)).toBe(true);
  expect(isDismissed({ ...waiting, updated_at: "2026-06-15T09:00:01Z" }, dismissed)).toBe(false);
  expect(isDismissed(card("c2"), dismissed)).toBe(false);
});

test("only so many are remembered", () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x${at}`, "2026-01-01T00:00:00Z"]));
  const kept = Object.keys(dismissing(many, waiting));
  expect([kept.length, kept.at(-1), kept.includes("x0")]).toEqual([100, "c1", false]);
});
