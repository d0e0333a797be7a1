import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { ChatError } from "../api/types.ts";
import { mayAdminister, useMe } from "../app/session.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { useMine } from "../chat/reading.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { adviceFor } from "./advice.ts";

/** What happened, what to do, and a button that does it. */
export function ErrorCard({ error }: { error: ChatError }) {
  const live = useLiveChat();
  const mine = useMine();
  const { complain } = useToasts();
  const advice = adviceFor(error.kind, mayAdminister(useMe()));
  const facts = [error.provider, error.status_code && `status ${error.status_code}`]
    .filter(Boolean)
    .join(", ");
  return (
    <section className="error-card" aria-label="Error">
      <CircleAlert aria-hidden />
      <div className="grow stack">
        <div>
          <h3>{error.message}</h3>
          <p>{advice.what}</p>
          {facts && <p className="quiet small">{facts}</p>}
        </div>
        {error.detail && (
          <details>
            <summary>Details</summary>
            <pre>{error.detail}</pre>
          </details>
        )}
        {mine && (
          <div className="spread">
            <Button look="primary" onClick={() => api.post(`/chats/${live.id}/retry`).catch(complain)}>
              Retry
            </Button>
            {advice.link && (
              <Link href={advice.link.to} className="button button-plain">
                {advice.link.words}
              </Link>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
