import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { ChatError, ErrorKind } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

interface Advice {
  what: string;
  link?: { to: string; words: string };
}

const PROVIDERS = { to: "/admin/providers", words: "Open providers" };
const ADVICE: Record<ErrorKind, Advice> = {
  overloaded: { what: "The provider is overloaded. It usually passes within minutes." },
  rate_limit: { what: "Too many requests for this key. Wait a moment, or use another model." },
  timeout: { what: "The provider took too long. Try again." },
  startup_timeout: { what: "The provider did not begin to answer. Try again, or use another model." },
  stream_silence_timeout: { what: "The provider stopped in the middle of its answer. Try again." },
  auth: { what: "The provider refused the key. Check it.", link: PROVIDERS },
  config: { what: "The model or provider is not set up right.", link: PROVIDERS },
  context_overflow: {
    what: "One message is larger than the model's window. Shorten it, or use a model with a larger one.",
  },
  usage_limit: { what: "The account's limit is used up. Raise it at the provider, or use another model." },
  missing_key: { what: "This provider has no key yet. Add one.", link: PROVIDERS },
  provider_disabled: { what: "This provider is switched off.", link: PROVIDERS },
  content_filter: { what: "The provider's filter stopped the answer. Say it differently." },
  hook_denied: { what: "A rule of this deployment stopped it." },
  hook_dispatch_failed: { what: "A rule of this deployment could not be asked. Tell your administrator." },
  generic: { what: "Try again; if it stays, the detail below helps to find out why." },
};

/** What happened, what to do, and a button that does it. */
export function ErrorCard({ error }: { error: ChatError }) {
  const live = useLiveChat();
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
      </div>
    </section>
  );
}
