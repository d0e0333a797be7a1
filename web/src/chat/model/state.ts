/** What the page knows about one chat. */

import type {
  Busy,
  ChatCard,
  ChatError,
  Content,
  Effort,
  Message,
  PendingAction,
  PresentPerson,
  QueuedMessage,
  RetryState,
  Status,
} from "../../api/types.ts";
import { NOTHING, type Preview } from "./preview.ts";
import type { Stretch } from "./stretch.ts";

/** `gap`: something was missed, and nothing more is believed until the stream starts again from our cursor. */
export type Connection = "connecting" | "open" | "lost" | "gap";

/** `held`: the server cannot be reached; it goes by itself as soon as it can. `failed`: somebody has to decide. */
export type SendState =
  | { phase: "sending" }
  | { phase: "held" }
  | { phase: "accepted"; number: number }
  | { phase: "failed"; reason: string };

/** A message on its way. It leaves the list when the server shows it, in the history or in the queue. */
export interface Send {
  client_id: string;
  content: Content[];
  busy: Busy;
  model?: string;
  effort?: Effort;
  plan_mode?: boolean;
  mentions?: string[];
  at: string;
  state: SendState;
}

export type Older = "more" | "loading" | "none";

export interface ChatState {
  id: string;
  connection: Connection;
  cursor: string | null;
  /** Null until the first sync. */
  status: Status | null;
  card: ChatCard | null;
  messages: readonly Message[];
  older: Older;
  /** Where somebody went far back: shown instead of the messages, until both meet. */
  stretch: Stretch | null;
  preview: Preview;
  queue: readonly QueuedMessage[];
  action: PendingAction | null;
  error: ChatError | null;
  retry: RetryState | null;
  sends: readonly Send[];
  /** Who looks at it right now; nobody while that is one person. */
  people: readonly PresentPerson[];
  /** How often somebody said something here, on this visit. */
  spoken: number;
}

export function emptyChat(id: string): ChatState {
  return {
    id,
    connection: "connecting",
    cursor: null,
    status: null,
    card: null,
    messages: [],
    older: "more",
    stretch: null,
    preview: NOTHING,
    queue: [],
    action: null,
    error: null,
    retry: null,
    sends: [],
    people: [],
    spoken: 0,
  };
}
