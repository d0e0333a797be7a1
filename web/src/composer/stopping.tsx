/** Stop; and where messages wait in the queue, what becomes of them. */

import { type ReactNode, useState } from "react";
import { api } from "../api/client.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";

/** Stopping sends what waits, so whoever has something waiting is asked. */
export const asksBeforeStop = (live: LiveChat): boolean => live.state.queue.length > 0;

export const interrupt = (live: LiveChat) => api.post(`/chats/${live.id}/interrupt`);

export function useStop(): { stop: () => void; question: ReactNode } {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [asking, setAsking] = useState(false);
  const stop = () => {
    if (asksBeforeStop(live)) setAsking(true);
    else void interrupt(live).catch(complain);
  };
  const question = asking && (
    <Dialog title={STOP_TITLE} onClose={() => setAsking(false)}>
      <StopQuestion live={live} onDone={() => setAsking(false)} />
    </Dialog>
  );
  return { stop, question };
}

export const STOP_TITLE = t("Stop the turn?");

/** What becomes of the messages that wait. */
export function StopQuestion({ live, onDone }: { live: LiveChat; onDone: () => void }) {
  const { complain } = useToasts();
  const clear = async () => {
    for (const { number } of live.state.queue) await api.delete(`/chats/${live.id}/queue/${number}`);
    await interrupt(live);
  };
  const chosen = (act: () => Promise<unknown>) => () => {
    onDone();
    void live.inOrder(act).catch(complain);
  };
  return (
    <div className="stack">
      <p>
        {t(
          "{count, plural, one {# message} other {# messages}} in the queue. Once the turn stops, the first one is sent.",
          { count: live.state.queue.length },
        )}
      </p>
      <div className="spread wrap">
        <Button look="primary" onClick={chosen(() => interrupt(live))}>
          {t("Stop and send the next one")}
        </Button>
        <Button look="danger" onClick={chosen(clear)}>
          {t("Stop and clear the queue")}
        </Button>
      </div>
    </div>
  );
}
