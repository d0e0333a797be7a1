/** The order of the chat list: what needs you, pins, then days. */

import type { ChatCard } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { ago, type Day, dayOf } from "../ui/format.ts";
import { type Dismissed, isDismissed } from "./dismissed.ts";

export interface ListGroup {
  name: "Needs you" | "Pinned" | Day | "Archived" | "Found";
  cards: ChatCard[];
}

/** What stands over each group. */
export const HEADINGS: Record<ListGroup["name"], string> = {
  "Needs you": t("Needs you"),
  Pinned: t("Pinned"),
  Today: t("Today"),
  Yesterday: t("Yesterday"),
  "Last 7 days": t("Last 7 days"),
  "Last 30 days": t("Last 30 days"),
  Older: t("Older"),
  Archived: t("Archived"),
  Found: t("Found"),
};

const DAY_MS = 86_400_000;

/**
 * The reasons to interrupt a person: an approval, a question or a plan until it is answered, an error until it is seen.
 * One that came before any answer cannot be told apart as seen, so every error counts for a day.
 */
export function needsYou(card: ChatCard, now = new Date()): boolean {
  if (card.status === "requires_action") return card.action !== "children";
  if (card.status === "waiting") return Boolean(card.asks);
  const fresh = now.getTime() - Date.parse(card.updated_at) < DAY_MS;
  return card.status === "error" && (card.unread === true || fresh);
}

/** What needs somebody is in their own chats: in those that others share, only the owner can answer. */
export function grouped(
  cards: Iterable<ChatCard>,
  me: string,
  now = new Date(),
  dismissed: Dismissed = {},
): ListGroup[] {
  const roots = [...cards].filter((card) => !card.parent_id && !card.archived);
  roots.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const groups = new Map<ListGroup["name"], ChatCard[]>([
    ["Needs you", []],
    ["Pinned", []],
  ]);
  for (const card of roots) {
    const name =
      card.owner_id === me && needsYou(card, now) && !isDismissed(card, dismissed)
        ? "Needs you"
        : card.pin
          ? "Pinned"
          : dayOf(card.updated_at, now);
    groups.set(name, [...(groups.get(name) ?? []), card]);
  }
  groups.get("Pinned")?.sort((a, b) => (a.pin ?? 0) - (b.pin ?? 0));
  return [...groups].filter(([, list]) => list.length > 0).map(([name, list]) => ({ name, cards: list }));
}

/** The line under a title: an error first, then what it is doing, then its last turn, then its model. */
export function subtitleOf(card: ChatCard): string {
  if (card.status === "error") return card.last_error?.message ?? t("Stopped with an error");
  if (card.status === "requires_action" && card.action && card.action !== "children")
    return ASKS[card.action];
  if (card.status === "requires_action") return t("Waiting for agents");
  if (card.waiting_for_capacity) return t("Waiting for capacity");
  if (card.status === "running") return t("Working…");
  if (card.status === "interrupting") return t("Stopping…");
  if (card.status === "waiting" && card.asks) return WAITS[card.asks];
  return labelOf(card) ?? card.model ?? ago(card.updated_at);
}

/** What the last turn was about, unless the title says just that. */
export function labelOf({ turn_label, title }: ChatCard): string | undefined {
  return turn_label === title ? undefined : turn_label;
}

const WAITS = { question: t("Has a question for you"), plan: t("Proposed a plan") };
const ASKS = {
  approval: t("Needs approval"),
  outcome_unknown: t("Needs a decision"),
  elicitation: t("Has a question for you"),
  budget: t("Over budget"),
  client_tool: t("Waiting for a client tool"),
};
