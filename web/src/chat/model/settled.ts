/** Whether what a call asked was answered: by anything that somebody said after it. */

import type { ChatState } from "./state.ts";

export function settled(
  { messages, sends }: Pick<ChatState, "messages" | "sends">,
  call_id: string,
): boolean {
  if (sends.some((send) => send.state.phase !== "failed")) return true;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === "user") return true;
    if (message?.parts.some((part) => part.type === "tool_call" && part.call_id === call_id)) return false;
  }
  return false;
}
