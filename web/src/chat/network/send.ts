/** Saying something in the open chat, from the composer or from a button in the transcript. */

import { useCallback } from "react";
import { freshId } from "../../api/freshId.ts";
import type { Busy, Content, Effort } from "../../api/types.ts";
import { useLiveChat } from "./hooks.ts";

export interface Saying {
  text?: string;
  content?: Content[];
  busy?: Busy;
  model?: string;
  effort?: Effort;
  plan_mode?: boolean;
  mentions?: string[];
}

export function useSay(): (saying: Saying) => Promise<void> {
  const live = useLiveChat();
  return useCallback(
    ({ text, content, busy = "queue", model, effort, plan_mode, mentions }) =>
      live.send({
        client_id: freshId(),
        content: content ?? [{ type: "text", text: text ?? "" }],
        busy,
        model,
        effort,
        plan_mode,
        mentions,
        at: new Date().toISOString(),
        state: { phase: "sending" },
      }),
    [live],
  );
}
