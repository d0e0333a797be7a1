/** What to do about an error, and where. */

import type { ErrorKind } from "../api/types.ts";

export interface Advice {
  what: string;
  link?: { to: string; words: string };
}

interface Known {
  what: string;
  /** Who sets the house up can put it right there. */
  administration?: true;
  /** A key of one's own puts it right, too. */
  own?: true;
}

const PROVIDERS = { to: "/admin/providers", words: "Open providers" };
const OWN_KEYS = { to: "/settings/keys", words: "Open your keys" };
const ADVICE: Record<ErrorKind, Known> = {
  overloaded: { what: "It usually passes within minutes. Retry then, or use another model." },
  rate_limit: { what: "Wait a moment and retry, or use another model." },
  timeout: { what: "Retry in a moment." },
  startup_timeout: { what: "Retry, or use another model." },
  stream_silence_timeout: { what: "Retry, or use another model." },
  auth: { what: "Enter a valid key, then retry.", administration: true, own: true },
  config: { what: "Fix the configuration, then retry.", administration: true },
  context_overflow: {
    what: "Summarise older messages and retry, shorten your message, or use a model with a larger window.",
  },
  usage_limit: { what: "Raise the limit with your provider, or use another model." },
  missing_key: { what: "Add a key, then retry.", administration: true, own: true },
  provider_disabled: { what: "Turn it on again, then retry.", administration: true },
  content_filter: { what: "Rephrase your message." },
  hook_denied: { what: "A policy of this deployment denied it. Ask your administrator." },
  hook_dispatch_failed: { what: "A policy hook could not be reached. Tell your administrator." },
  generic: { what: "Retry. If it persists, the details below help to find the cause." },
};

const ASK = "Tell an administrator, or use another model.";

/** What somebody can do who may, or may not, set providers up. */
export function adviceFor(kind: ErrorKind | undefined, administers: boolean): Advice {
  const known = ADVICE[kind ?? "generic"] ?? ADVICE.generic;
  if (!known.administration) return { what: known.what };
  if (administers) return { what: known.what, link: PROVIDERS };
  return known.own ? { what: known.what, link: OWN_KEYS } : { what: ASK };
}
