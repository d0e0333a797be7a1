import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { ChatError, ErrorKind } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { useMine } from "../chat/reading.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

interface Advice {
  what: string;
  link?: { to: string; words: string };
}

const PROVIDERS = { to: "/admin/providers", words: "Open providers" };
const ADVICE: Record<ErrorKind, Advice> = {
  overloaded: { what: "It usually passes within minutes. Retry then, or use another model." },
  rate_limit: { what: "Wait a moment and retry, or use another model." },
  timeout: { what: "Retry in a moment." },
  startup_timeout: { what: "Retry, or use another model." },
  stream_silence_timeout: { what: "Retry, or use another model." },
  auth: { what: "Put in a key that works, then retry.", link: PROVIDERS },
  config: { what: "Put it right, then retry.", link: PROVIDERS },
  context_overflow: { what: "Shorten your message, or use a model with a larger window." },
  usage_limit: { what: "Raise it there, or use another model." },
  missing_key: { what: "Once it is there, retry.", link: PROVIDERS },
  provider_disabled: { what: "Or switch it on again, and retry.", link: PROVIDERS },
  content_filter: { what: "Say it differently." },
  hook_denied: { what: "It is a rule of this deployment. Your administrator knows why." },
  hook_dispatch_failed: { what: "Rules of this deployment are asked first. Tell your administrator." },
  generic: { what: "Retry; if it stays, the detail below helps to find out why." },
};

/** What happened, what to do, and a button that does it. */
export function ErrorCard({ error }: { error: ChatError }) {
  const live = useLiveChat();
  const mine = useMine();
  const { complain } = useToasts();
  const advice = ADVICE[error.kind ?? "generic"] ?? ADVICE.generic;
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
