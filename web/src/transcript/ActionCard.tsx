/** What a parked chat asks: results, an approval, what became of a call, more budget. */

import { CircleHelp } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.ts";
import type { PendingAction, PendingCall } from "../api/types.ts";
import { argumentsOf, textField } from "../chat/calls.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { useMine } from "../chat/reading.ts";
import { ChildLink } from "../tools/agents.tsx";
import { Output } from "../tools/Output.tsx";
import { Button } from "../ui/Button.tsx";
import { momentOf, money } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";

type Decision = "approve" | "approve_always" | "deny" | "happened" | "repeat" | "skip";

export function ActionCard({ action }: { action: PendingAction }) {
  if (action.kind === "children") return <Children ids={action.children ?? []} />;
  if (action.kind === "budget") return <Budget action={action} />;
  return <Calls action={action} />;
}

function Frame({ title, deadline, children }: { title: string; deadline?: string; children: ReactNode }) {
  return (
    <section className="action-card" aria-label={title}>
      <header>
        <CircleHelp aria-hidden />
        <h3 className="grow">{title}</h3>
        {deadline && <span className="quiet small">until {momentOf(deadline)}</span>}
      </header>
      {children}
    </section>
  );
}

const TITLES = {
  approval: "May I do this?",
  outcome_unknown: "Did this happen?",
  client_tool: "Waiting for a tool on your side",
};
const WAYS: Record<"approval" | "outcome_unknown", [Decision, string][]> = {
  approval: [
    ["approve", "Approve"],
    ["approve_always", "Always in this chat"],
    ["deny", "Deny"],
  ],
  outcome_unknown: [
    ["happened", "It happened"],
    ["repeat", "Do it again"],
    ["skip", "Skip it"],
  ],
};

function Calls({ action }: { action: PendingAction }) {
  const kind = action.kind as keyof typeof TITLES;
  return (
    <Frame title={TITLES[kind]} deadline={action.deadline_at}>
      {kind === "outcome_unknown" && (
        <p className="quiet">
          The server stopped while this ran. It may or may not have taken effect, so it is not repeated on its
          own.
        </p>
      )}
      {(action.calls ?? []).map((call) => (
        <PendingCallView
          key={call.call_id}
          call={call}
          all={action.calls ?? []}
          ways={kind === "client_tool" ? [] : WAYS[kind]}
        />
      ))}
    </Frame>
  );
}

function PendingCallView({
  call,
  all,
  ways,
}: {
  call: PendingCall;
  all: readonly PendingCall[];
  ways: [Decision, string][];
}) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const mine = useMine();
  const [chosen, setChosen] = useState<Decision | null>(null);
  const fields = argumentsOf(call.args);
  const decide = (decision: Decision) => {
    setChosen(decision);
    const decisions = [{ call_id: call.call_id, decision }];
    api.post(`/chats/${live.id}/action`, { decisions }).catch((error: unknown) => {
      setChosen(null);
      complain(error);
    });
  };
  return (
    <div className="pending" data-many={all.length > 1}>
      <p>
        <code className="pill">{call.tool}</code>
      </p>
      <Output {...shownArguments(call.tool, fields)} />
      <div className="spread wrap">
        {!mine && <span className="quiet">Its owner decides.</span>}
        {(mine ? ways : []).map(([decision, label], at) => (
          <Button
            key={decision}
            look={at === 0 ? "primary" : "plain"}
            disabled={chosen !== null}
            onClick={() => decide(decision)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

function shownArguments(tool: string, fields: Record<string, unknown>): { text: string; language: string } {
  if (tool === "execute") return { text: textField(fields, "command"), language: "bash" };
  return { text: JSON.stringify(fields, null, 2), language: "json" };
}

function Children({ ids }: { ids: readonly string[] }) {
  return (
    <div className="stack">
      <p className="working">
        <span className="pulse" aria-hidden />
        <span className="shimmer">Waiting for {ids.length === 1 ? "an agent" : `${ids.length} agents`}…</span>
      </p>
      {ids.map((id) => (
        <ChildLink key={id} id={id} fallback="Agent" />
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
    <Frame title="The budget is used up">
      <p>
        {money(action.spent ?? 0)} of {money(action.limit ?? 0)} is spent.
      </p>
      {mine && (
        <div className="spread wrap">
          <Button look="primary" onClick={() => post({ limit })}>
            Raise to {money(limit)}
          </Button>
          <Button onClick={() => post({ decline: true })}>End the turn</Button>
        </div>
      )}
    </Frame>
  );
}
