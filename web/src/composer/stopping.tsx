/** Stop; and where messages wait in the queue, what becomes of them. */

import { type ReactNode, useState } from "react";
import { api } from "../api/client.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { plural } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";

export function useStop(): { stop: () => void; question: ReactNode } {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [asking, setAsking] = useState(false);
  const interrupt = () => api.post(`/chats/${live.id}/interrupt`);
  const clear = async () => {
    for (const { number } of live.state.queue) await api.delete(`/chats/${live.id}/queue/${number}`);
    await interrupt();
  };
  const chosen = (act: () => Promise<unknown>) => () => {
    setAsking(false);
    void live.inOrder(act).catch(complain);
  };
  const stop = () => {
    if (live.state.queue.length > 0) setAsking(true);
    else void interrupt().catch(complain);
  };
  const question = asking && (
    <Dialog title="Stop the turn?" onClose={() => setAsking(false)}>
      <p>
        {plural(live.state.queue.length, "message")} in the queue. Once the turn stops, the first one is sent.
      </p>
      <div className="spread wrap">
        <Button look="primary" onClick={chosen(interrupt)}>
          Stop and send the next one
        </Button>
        <Button look="danger" onClick={chosen(clear)}>
          Stop and clear the queue
        </Button>
      </div>
    </Dialog>
  );
  return { stop, question };
}
