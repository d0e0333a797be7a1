/** The end of the transcript: what the chat is doing right now, and what a person can do about it. */

import type { Phase } from "../chat/model/phase.ts";
import { usePhase } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Loading } from "../ui/Loading.tsx";
import { ActionCard } from "./ActionCard.tsx";
import { ErrorCard } from "./ErrorCard.tsx";
import { Progress } from "./Progress.tsx";
import { RefusedRequests } from "./RefusedRequests.tsx";
import { Retrying } from "./Retrying.tsx";

export function PhaseRow({ shown }: { shown: boolean }) {
  const phase = usePhase();
  return (
    <div className="phase" data-phase={phase.kind}>
      {shown && <RefusedRequests />}
      {shown && <PhaseView phase={phase} />}
      <span className="only-spoken" role="status" aria-live="polite">
        {spoken(phase)}
      </span>
    </div>
  );
}

const SPOKEN: Record<Phase["kind"], string> = {
  loading: "",
  idle: t("The answer is complete."),
  starting: t("Working."),
  streaming: t("Answering."),
  retrying: t("The model did not answer. Retrying soon."),
  error: t("The turn ended with an error."),
  reconnecting: t("Reconnecting."),
  interrupting: t("Stopping."),
  action: t("The chat needs you."),
};

function spoken(phase: Phase): string {
  return phase.kind === "action" && phase.action.kind === "children"
    ? t("Waiting for agents.")
    : SPOKEN[phase.kind];
}

function PhaseView({ phase }: { phase: Phase }) {
  switch (phase.kind) {
    case "starting":
      return <Working words={phase.waiting_for_capacity ? t("Waiting for capacity") : t("Working")} />;
    case "reconnecting":
      return <Working words={t("Reconnecting")} />;
    case "interrupting":
      return <Working words={t("Stopping")} />;
    case "retrying":
      return <Retrying retry={phase.retry} />;
    case "error":
      return <ErrorCard error={phase.error} />;
    case "action":
      return <ActionCard action={phase.action} />;
    case "loading":
      return <Loading words={t("Loading the chat")} />;
    case "streaming":
      return <Working />;
    case "idle":
      return null;
  }
}

/** That it works, and how far it is. An answer that streams says the first by itself. */
function Working({ words }: { words?: string }) {
  return (
    <p className="working">
      <span className="pulse" aria-hidden />
      {words && <span className="shimmer">{words}…</span>}
      <Progress />
    </p>
  );
}
