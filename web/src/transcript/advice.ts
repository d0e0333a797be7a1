/** What to do about an error, and where. */

import type { ErrorKind } from "../api/types.ts";
import { t } from "../language/catalogue.ts";

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

const PROVIDERS = { to: "/admin/providers", words: t("Open providers") };
const OWN_KEYS = { to: "/settings/keys", words: t("Open your keys") };
const ADVICE: Record<ErrorKind, Known> = {
  overloaded: { what: t("It usually clears up within minutes. Retry then, or use another model.") },
  rate_limit: { what: t("Wait a moment and retry, or use another model.") },
  timeout: { what: t("Retry in a moment.") },
  startup_timeout: { what: t("Retry, or use another model.") },
  stream_silence_timeout: { what: t("Retry, or use another model.") },
  auth: { what: t("Enter a valid key, then retry."), administration: true, own: true },
  config: { what: t("Fix the configuration, then retry."), administration: true },
  context_overflow: {
    what: t("Summarize older messages and retry, shorten your message, or use a model with a larger window."),
  },
  usage_limit: { what: t("Raise the limit with your provider, or use another model.") },
  missing_key: { what: t("Add a key, then retry."), administration: true, own: true },
  provider_disabled: { what: t("Turn it on again, then retry."), administration: true },
  content_filter: { what: t("Rephrase your message.") },
  hook_denied: { what: t("A policy of this deployment denied it. Ask your administrator.") },
  hook_dispatch_failed: { what: t("A policy hook could not be reached. Tell your administrator.") },
  generic: { what: t("Retry. If it persists, the details below help to find the cause.") },
};

const ASK = t("Tell an administrator, or use another model.");

/** What somebody can do who may, or may not, set providers up. */
export function adviceFor(kind: ErrorKind | undefined, administers: boolean): Advice {
  const known = ADVICE[kind ?? "generic"] ?? ADVICE.generic;
  if (!known.administration) return { what: known.what };
  if (administers) return { what: known.what, link: PROVIDERS };
  return known.own ? { what: known.what, link: OWN_KEYS } : { what: ASK };
}
