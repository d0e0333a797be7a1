/** What a parked chat asks: results, an approval, what became of a call, more budget. */

import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../api/client.ts";
import type { PendingAction } from "../api/types.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { ChildLink } from "../tools/agents.tsx";
import { Proposed } from "../tools/Proposed.tsx";
import { Button } from "../ui/Button.tsx";
import { momentOf, money } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { CallQuestions } from "./CallQuestions.tsx";
import { Decisions } from "./Decisions.tsx";

export function ActionCard({ action }: { action: PendingAction }) {
  if (action.kind === "children") return <Children ids={action.children ?? []} />;
  if (action.kind === "budget") return <Budget action={action} />;
  if (action.kind === "elicitation") {
    return (
      <Frame title={t("A question for you")} deadline={action.deadline_at}>
        <CallQuestions action={action} />
      </Frame>
    );
  }
  return <Calls action={action} />;
}

function Frame({ title, deadline, children }: { title: string; deadline?: string; children: ReactNode }) {
  return (
    <section className="action-card" aria-label={title}>
      <header>
        <CircleHelp aria-hidden />
        <h3 className="grow">{title}</h3>
        {deadline && (
          <span className="quiet small">{t("until {deadline}", { deadline: momentOf(deadline) })}</span>
        )}
      </header>
      {children}
    </section>
  );
}

const TITLES = {
  approval: t("Approval needed"),
  outcome_unknown: t("Did this happen?"),
  client_tool: t("Waiting for a client tool"),
};

function Calls({ action }: { action: PendingAction }) {
  const kind = action.kind as keyof typeof TITLES;
  const calls = action.calls ?? [];
  return (
    <Frame title={TITLES[kind]} deadline={action.deadline_at}>
      {kind === "outcome_unknown" && (
        <p className="quiet">
          {t(
            "The server stopped while this ran. It may or may not have taken effect, so it is not repeated automatically.",
          )}
        </p>
      )}
      {kind === "client_tool" ? (
        calls.map((call) => (
          <div key={call.call_id} className="pending">
            <code className="pill">{call.tool}</code>
            <Proposed tool={call.tool} args={call.args} />
          </div>
        ))
      ) : (
        <Decisions kind={kind} action={action} />
      )}
    </Frame>
  );
}

function Children({ ids }: { ids: readonly string[] }) {
  return (
    <div className="stack">
      <p className="working">
        <span className="pulse" aria-hidden />
        <span className="shimmer">
          {t("{count, plural, one {Waiting for an agent…} other {Waiting for # agents…}}", {
            count: ids.length,
          })}
        </span>
      </p>
      {ids.map((id) => (
        <ChildLink key={id} id={id} fallback={t("Agent")} />
      ))}
    </div>
  );
}

const RAISE = 2;

function Budget({ action }: { action: PendingAction }) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const mine = useMine();
  const limit = (action.limit ?? 0) * RAISE || 1_000_000;
  const post = (body: object) => void api.post(`/chats/${live.id}/action`, body).catch(complain);
  return (
    <Frame title={t("Budget reached")}>
      <p>
        {t("{spent} of {limit} spent.", { spent: money(action.spent ?? 0), limit: money(action.limit ?? 0) })}
      </p>
      {mine && (
        <div className="spread wrap">
          <Button look="primary" onClick={() => post({ limit })}>
            {t("Raise to {limit}", { limit: money(limit) })}
          </Button>
          <Button onClick={() => post({ decline: true })}>{t("End the turn")}</Button>
        </div>
      )}
    </Frame>
  );
}
