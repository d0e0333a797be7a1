/** Beginning a chat. Asked again for the same it is the same chat, and it is asked again until the server answers. */

import { useCallback, useEffect, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { ApiError, isAway, isSignedOut, reasonOf } from "../../api/errors.ts";
import { freshId } from "../../api/freshId.ts";
import { delayBefore } from "../../api/stream.ts";
import type { ChatCard } from "../../api/types.ts";
import { t } from "../../language/catalogue.ts";

export type Beginning =
  | { phase: "idle" }
  | { phase: "asking" }
  | { phase: "held" }
  | { phase: "refused"; reason: string };

const PLACE = "beginning";

/** The key to ask under: that of the last try, as long as it asked for just this. */
export function keyFor(asked: string, storage: Storage): string {
  const kept = JSON.parse(storage.getItem(PLACE) ?? "null") as { key: string; asked: string } | null;
  if (kept?.asked === asked) return kept.key;
  const key = freshId();
  try {
    storage.setItem(PLACE, JSON.stringify({ key, asked }));
  } catch {
    // The browser's storage is full: a try after a reload would be another chat.
  }
  return key;
}

interface Asking {
  asked: object;
  /** Whether it is still what somebody wants. */
  meant: () => boolean;
  onBegun: (chat: ChatCard) => void;
}

export function useBeginning(): [Beginning, (asking: Asking) => void] {
  const [state, setState] = useState<Beginning>({ phase: "idle" });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = useCallback((asking: Asking, tries = 0): void => {
    clearTimeout(timer.current);
    if (tries === 0) setState({ phase: "asking" });
    const later = () => {
      setState({ phase: "held" });
      timer.current = setTimeout(
        () => (asking.meant() ? ask(asking, tries + 1) : setState({ phase: "idle" })),
        delayBefore(tries, Math.random()),
      );
    };
    begun(asking.asked).then(asking.onBegun, (error: unknown) => {
      if (isAway(error) || isSignedOut(error)) later();
      else setState({ phase: "refused", reason: refusalOf(error) });
    });
  }, []);
  return [state, ask];
}

async function begun(asked: object): Promise<ChatCard> {
  const key = keyFor(JSON.stringify(asked), localStorage);
  const { chat } = await api.post("/chats", { ...asked, client_id: key }, key);
  localStorage.removeItem(PLACE);
  return chat;
}

function refusalOf(error: unknown): string {
  const model = error instanceof ApiError && error.validations.some((entry) => entry.field === "model");
  return model ? t("That model is no longer available. Choose another and send again.") : reasonOf(error);
}
