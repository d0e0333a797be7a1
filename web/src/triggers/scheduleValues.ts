/** What the form of a schedule holds, and what the server takes and gives. No React. */

import type { Schedule } from "../api/types.ts";
import type { Values } from "../settings/values.ts";
import { sentSpeech, shownSpeech } from "./speechValues.ts";

/** A new schedule: each morning, by the clock of whoever makes it. */
export function newSchedule(): Values {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { rule: "0 9 * * 1-5", zone, missed: "once", most_missed: 10, overlap: "queue" };
}

export function shownIn(schedule: Schedule): Values {
  const { name, rule, zone, prompt, missed, most_missed, overlap } = schedule;
  return { ...{ name, rule, zone, prompt, missed, most_missed, overlap }, ...shownSpeech(schedule) };
}

/** A chat that is spoken into does one thing at a time. */
export function sentOf(values: Values): Values {
  const overlap = values.chat_id && values.overlap === "parallel" ? "queue" : values.overlap;
  return { ...sentSpeech(values), overlap };
}

/** Every zone that the browser knows, and the one that is chosen already. */
export function zonesWith(zone: string): string[] {
  return [...new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")])].sort();
}
