/** What edits hid, laid out as versions: which there are of a message, and the history as it was with one of them. Pure. */

import type { Branch, Message } from "../../api/types.ts";

/** The conversation as it is now. Anything else is the number of the edit that ended it. */
export const NOW = Number.POSITIVE_INFINITY;

export interface Version {
  number: number;
  /** When it was hidden: the history to look at to see it, with what followed. */
  until: number;
}

interface Entry extends Version {
  message: Message;
}

export interface Known {
  /** Every message that is known, in order, each with when it was hidden. */
  entries: readonly Entry[];
  /** What a person said at the same place of the conversation, each time anew, oldest first; by message. */
  versions: ReadonlyMap<number, readonly Version[]>;
}

export function known(messages: readonly Message[], branches: readonly Branch[]): Known {
  const entries: Entry[] = messages.map((message) => ({ number: message.number, until: NOW, message }));
  if (branches.length === 0) return { entries, versions: new Map() };
  for (const { snapshot, messages: cut } of branches)
    for (const message of cut) entries.push({ number: message.number, until: snapshot, message });
  entries.sort((a, b) => a.number - b.number);
  return { entries, versions: versionsIn(entries, messages[0]?.number ?? 0) };
}

/** The messages before which numbers are missing: something may have been hidden there. */
export function gaps(messages: readonly Message[]): number[] {
  return messages
    .filter((message, at) => message.number - (messages[at - 1]?.number ?? 0) > 1)
    .map((message) => message.number);
}

/** The history as it was when an edit ended it. */
export function historyUntil({ entries }: Known, until: number): Message[] {
  const last = entries.findLast((entry) => entry.until === until)?.number ?? 0;
  return entries
    .filter((entry) => entry.number <= last && entry.until >= until)
    .map((entry) => entry.message);
}

function versionsIn(entries: readonly Entry[], first: number): Map<number, Version[]> {
  const places = new Map<number, Version[]>();
  const versions = new Map<number, Version[]>();
  for (const [at, { number, until, message }] of entries.entries()) {
    if (message.role !== "user") continue;
    const place = before(entries, at, first);
    const here = places.get(place) ?? [];
    here.push({ number, until });
    places.set(place, here);
    versions.set(number, here);
  }
  return versions;
}

/** The message that a message followed, in the history that it was part of. */
function before(entries: readonly Entry[], at: number, first: number): number {
  const { until = NOW, number: own = 0 } = entries[at] ?? {};
  let next = own;
  for (let back = at - 1; back >= 0; back--) {
    const entry = entries[back];
    // Before the first that is held, a number that nothing was hidden under is a message that was not asked for yet.
    if (!entry || (next <= first && next - entry.number > 1)) break;
    if (entry.until >= until) return entry.number;
    next = entry.number;
  }
  return next - 1;
}
