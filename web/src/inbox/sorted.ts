/** The inbox as people read it: what still waits for them first, then the news. Pure. */

import type { ChatCard, InboxEntry } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type Dismissed, isDismissed } from "../list/dismissed.ts";
import { labelOf, needsYou, subtitleOf } from "../list/groups.ts";

interface Group {
  name: string;
  list: InboxEntry[];
}

export function sorted(
  entries: readonly InboxEntry[],
  cards: ReadonlyMap<string, ChatCard>,
  dismissed: Dismissed = {},
): Group[] {
  const waits = (entry: InboxEntry) => {
    const card = cards.get(entry.chat_id ?? "");
    return waiting(entry, card) && !(card && isDismissed(card, dismissed));
  };
  const groups: Group[] = [
    { name: t("Needs you"), list: entries.filter(waits) },
    { name: t("Updates"), list: entries.filter((entry) => !waits(entry)) },
  ];
  return groups.filter((group) => group.list.length > 0);
}

/** Whether it still waits, as the list says it. Of a chat that is not known here, only whether the entry was read. */
function waiting(entry: InboxEntry, card: ChatCard | undefined): boolean {
  if (entry.kind !== "needs_you" && entry.kind !== "failed") return false;
  if (!card) return !entry.read_at;
  return needsYou(card) && (entry.kind === "failed") === (card.status === "error");
}

const WORDS: Record<InboxEntry["kind"], string> = {
  finished: t("Finished"),
  failed: t("Stopped with an error"),
  needs_you: t("Answered"),
  shared: t("Shared with you"),
  schedule_paused: t("Schedule paused"),
  mention: t("Mentioned you"),
  digest: "",
};

/** What an entry says: its own words, or what its chat is waiting for, or how it ended. */
export function wordsOf(entry: InboxEntry, card: ChatCard | undefined): string {
  if (entry.text) return entry.text;
  if (entry.kind === "needs_you" && (!card || waiting(entry, card)))
    return card ? subtitleOf(card) : t("Needs you");
  if (entry.kind === "failed" && card?.status === "error") return subtitleOf(card);
  if (entry.kind === "finished" && card) return labelOf(card) ?? WORDS.finished;
  return WORDS[entry.kind];
}
