/** The one word for what a chat is doing, which drives everything live on the page. */

import type { ChatError, PendingAction, RetryState } from "../../api/types.ts";
import { t } from "../../language/catalogue.ts";
import type { ChatState } from "./state.ts";

export type Phase =
  | { kind: "loading" }
  | { kind: "retrying"; retry: RetryState }
  | { kind: "error"; error: ChatError }
  | { kind: "reconnecting" }
  | { kind: "interrupting" }
  | { kind: "action"; action: PendingAction }
  | { kind: "starting"; waiting_for_capacity: boolean }
  | { kind: "streaming" }
  | { kind: "idle" };

const UNEXPLAINED: ChatError = { message: t("The turn ended with an unknown error.") };

export function phaseOf(chat: ChatState): Phase {
  if (chat.status === null) return { kind: "loading" };
  const busy = chat.status === "running" || chat.status === "interrupting";
  if (busy && chat.connection !== "open") return { kind: "reconnecting" };
  switch (chat.status) {
    case "interrupting":
      return { kind: "interrupting" };
    case "requires_action":
      return chat.action
        ? { kind: "action", action: chat.action }
        : { kind: "starting", waiting_for_capacity: false };
    case "error":
      return { kind: "error", error: chat.error ?? chat.card?.last_error ?? UNEXPLAINED };
    case "running":
      if (chat.retry) return { kind: "retrying", retry: chat.retry };
      if (chat.preview.parts.length > 0) return { kind: "streaming" };
      return { kind: "starting", waiting_for_capacity: chat.card?.waiting_for_capacity ?? false };
    case "waiting":
      return chat.sends.some(({ state }) => state.phase === "sending" || state.phase === "accepted")
        ? { kind: "starting", waiting_for_capacity: false }
        : { kind: "idle" };
  }
}

/** Whether a message sent now would have to wait, steer or interrupt. */
export function isBusy(phase: Phase): boolean {
  return !["loading", "idle", "error"].includes(phase.kind);
}
