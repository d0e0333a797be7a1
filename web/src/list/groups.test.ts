import { expect, test } from "vitest";
import type { ChatCard } from "../api/types.ts";
import { grouped, needsYou, subtitleOf } from "./groups.ts";

const now = new Date(2026, 5, 15, 12);
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();
const card = (id: string, extra: Partial<ChatCard> = {}): ChatCard => ({
  id,
  owner_id: "me",
  title: id,
  status: "waiting",
  created_at: hoursAgo(1),
  updated_at: hoursAgo(1),
  ...extra,
});

test("what needs you comes first, then pins in their order, then days, newest first", () => {
  const cards = [
    card("old", { updated_at: hoursAgo(30) }),
    card("b", { pin: 2 }),
    card("a", { pin: 1 }),
    card("fresh", { updated_at: hoursAgo(0.1) }),
    card("today"),
    card("ask", { status: "requires_action", action: "approval" }),
    card("child", { parent_id: "old" }),
    card("gone", { archived: true }),
  ];
  expect(grouped(cards, now).map((group) => [group.name, group.cards.map((entry) => entry.id)])).toEqual([
    ["Needs you", ["ask"]],
    ["Pinned", ["a", "b"]],
    ["Today", ["fresh", "today"]],
    ["Yesterday", ["old"]],
  ]);
});

test("waiting for one's own agents needs nobody", () => {
  expect(needsYou(card("x", { status: "requires_action", action: "children" }))).toBe(false);
});

test("a seen error is at rest, an unseen one needs you", () => {
  expect([
    needsYou(card("x", { status: "error", unread: true })),
    needsYou(card("x", { status: "error" })),
  ]).toEqual([true, false]);
});

test("an unseen question or plan needs you; an answer out of plan mode does not", () => {
  expect([
    needsYou(card("x", { plan_mode: true, unread: true })),
    needsYou(card("x", { plan_mode: true })),
    needsYou(card("x", { unread: true })),
    needsYou(card("x", { plan_mode: true, unread: true, status: "running" })),
  ]).toEqual([true, false, false, false]);
});

test("an error is the subtitle before anything else", () => {
  expect(
    subtitleOf(card("x", { status: "error", turn_label: "Fix tests", last_error: { message: "No key" } })),
  ).toBe("No key");
});
