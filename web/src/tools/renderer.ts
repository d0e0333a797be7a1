/** What it takes to show one kind of tool call: an icon, a line, and what opens beneath it. */

import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Call } from "../chat/model/calls.ts";

export type Fields = Record<string, unknown>;

export interface Line {
  verb: string;
  object?: string;
  /** The object is words, not a path, a command or a name. */
  prose?: boolean;
  note?: ReactNode;
  /** The note says how long it takes. */
  timed?: boolean;
}

export interface Renderer {
  icon: LucideIcon;
  line: (fields: Fields, call: Call) => Line;
  Body: (props: { call: Call; fields: Fields }) => ReactNode;
  /** Shown open, as a card of its own rather than a line. */
  open?: boolean;
}

export function outputOf(call: Call): string {
  switch (call.state.phase) {
    case "running":
    case "done":
      return call.state.output;
    case "failed":
      return call.state.reason;
    case "writing":
    case "waiting":
      return "";
  }
}

/** "Read" when it is done, "Reading" while it is not; where somebody has to allow it first, "Wants to read". */
export function tense(call: Call, now: string, then: string, wanted = now): string {
  if (call.state.phase === "waiting") return wanted;
  return call.state.phase === "done" || call.state.phase === "failed" ? then : now;
}
