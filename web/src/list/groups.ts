/** The order of the chat list: what needs you, pins, then days. */

import type { ChatCard } from "../api/types.ts";
import { ago, type Day, dayOf } from "../ui/format.ts";

export interface ListGroup {
  name: "Needs you" | "Pinned" | Day | "Archived" | "Found";
  cards: ChatCard[];
}

/** An approval; a question, a plan or an error that nobody has looked at: the reasons to interrupt a person. */
export function needsYou(card: ChatCard): boolean {
  if (card.status === "requires_action") return card.action !== "children";
  return card.unread === true && (card.status === "error" || asks(card));
}

/** A turn in plan mode ends with a question or a plan: either way it goes on with an answer. */
function asks(card: ChatCard): boolean {
  return card.plan_mode === true && card.status === "waiting";
}

export function grouped(cards: Iterable<ChatCard>, now = new Date()): ListGroup[] {
  const roots = [...cards].filter((card) => !card.parent_id && !card.archived);
  roots.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const groups = new Map<ListGroup["name"], ChatCard[]>([
    ["Needs you", []],
    ["Pinned", []],
  ]);
  for (const card of roots) {
    const name = needsYou(card) ? "Needs you" : card.pin ? "Pinned" : dayOf(card.updated_at, now);
    groups.set(name, [...(groups.get(name) ?? []), card]);
  }
  groups.get("Pinned")?.sort((a, b) => (a.pin ?? 0) - (b.pin ?? 0));
  return [...groups].filter(([, list]) => list.length > 0).map(([name, list]) => ({ name, cards: list }));
}

/** The line under a title: an error first, then what it is doing, then its last turn, then its model. */
export function subtitleOf(card: ChatCard): string {
  if (card.status === "error") return card.last_error?.message ?? "Stopped with an error";
  if (card.status === "requires_action" && card.action && card.action !== "children")
    return ASKS[card.action];
  if (card.status === "requires_action") return "Waiting for agents";
  if (card.waiting_for_capacity) return "Waiting for a free worker";
  if (card.status === "running") return labelOf(card) ?? "Working…";
  if (card.status === "interrupting") return "Stopping…";
  if (card.unread && asks(card)) return labelOf(card) ?? "Waits for your answer";
  return labelOf(card) ?? card.model ?? ago(card.updated_at);
}

/** What the last turn was about, unless the title says just that. */
function labelOf({ turn_label, title }: ChatCard): string | undefined {
  return turn_label === title ? undefined : turn_label;
}

const ASKS = {
  approval: "Asks for approval",
  outcome_unknown: "Asks what happened",
  budget: "Over budget",
  client_tool: "Waits for a client's tool",
};
