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
    card("theirs", {
      status: "requires_action",
      action: "approval",
      owner_id: "them",
      updated_at: hoursAgo(2),
    }),
  ];
  expect(
    grouped(cards, "me", now).map((group) => [group.name, group.cards.map((entry) => entry.id)]),
  ).toEqual([
    ["Needs you", ["ask"]],
    ["Pinned", ["a", "b"]],
    ["Today", ["fresh", "today", "theirs"]],
    ["Yesterday", ["old"]],
  ]);
});

test("waiting for one's own agents needs nobody", () => {
  expect(needsYou(card("x", { status: "requires_action", action: "children" }))).toBe(false);
});

test("an error needs you for a day, and longer while nobody has seen it", () => {
  const failed = (hours: number, unread: boolean) =>
    needsYou(card("x", { status: "error", updated_at: hoursAgo(hours), unread }), now);
  expect([failed(1, false), failed(30, true), failed(30, false)]).toEqual([true, true, false]);
});

test("a question or a plan needs you until it is answered; a plain answer does not", () => {
  expect([
    needsYou(card("x", { plan_mode: true, asks: "question" })),
    needsYou(card("x", { plan_mode: true, asks: "plan", unread: true })),
    needsYou(card("x", { plan_mode: true, asks: "question", status: "running" })),
    needsYou(card("x", { plan_mode: true, unread: true })),
  ]).toEqual([true, true, false, false]);
});

test("the subtitle says what a chat asks", () => {
  expect(subtitleOf(card("x", { asks: "question", turn_label: "Chose a colour" }))).toBe(
    "Has a question for you",
  );
});

test("an error is the subtitle before anything else", () => {
  expect(
    subtitleOf(card("x", { status: "error", turn_label: "Fix tests", last_error: { message: "No key" } })),
  ).toBe("No key");
});

test("while it works the subtitle says so, and at rest what the last turn was about, or its model", () => {
  const about = { turn_label: "Fix tests", model: "demo" };
  expect([
    subtitleOf(card("x", { ...about, status: "running" })),
    subtitleOf(card("x", about)),
    subtitleOf(card("x", { model: "demo" })),
  ]).toEqual(["Working…", "Fix tests", "demo"]);
});
