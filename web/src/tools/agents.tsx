/** Sub-agents: what each was asked, how it is doing, and what it reported. */

import { useQuery } from "@tanstack/react-query";
import { Bot, Hourglass, MessageCircle, OctagonPause } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { type Call, structured, textField } from "../chat/model/calls.ts";
import { useCard } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { subtitleOf } from "../list/groups.ts";
import { StatusIcon } from "../list/StatusIcon.tsx";
import { Markdown } from "../markdown/Markdown.tsx";
import { Facts } from "../ui/Facts.tsx";
import { elapsed, money } from "../ui/format.ts";
import { useNow } from "../ui/now.ts";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

/** How often a child at work is asked how far it is. */
const AGAIN_MS = 2_000;

export function childId(call: Call): string {
  return textField(structured(outputOf(call)) ?? {}, "id");
}

/** A child's line: it stays live, because its card comes with the watch stream. */
export function ChildLink({ id, fallback }: { id: string; fallback: string }) {
  const card = useCard(id);
  return (
    <Link href={`/chats/${id}`} className="child-link">
      {card && <StatusIcon card={card} />}
      <span className="truncate">{card?.title ?? fallback}</span>
      <span className="quiet small truncate">{card?.turn_label ?? ""}</span>
      <span className="grow" />
      {card && <ChildProgress card={card} />}
    </Link>
  );
}

/** How a child is doing, beside the line that started it. */
function ChildState({ id, type }: { id: string; type: string }) {
  const card = useCard(id);
  return (
    <span className="child-state">
      {card && <StatusIcon card={card} />}
      {card ? standing(card) : type}
      {card && <ChildProgress card={card} />}
    </span>
  );
}

export function isAtWork(card: ChatCard | undefined): boolean {
  return card?.status === "running" || card?.status === "interrupting";
}

/** At which step a child is, for how long it works, and what it cost with all it started itself. */
function ChildProgress({ card }: { card: ChatCard }) {
  const works = isAtWork(card);
  const { data } = useQuery({
    queryKey: ["cost", card.id, works || card.updated_at],
    queryFn: () => api.get(`/chats/${card.id}/cost`),
    refetchInterval: works && AGAIN_MS,
    retry: false,
    placeholderData: (before) => before,
  });
  const own = data?.items.filter((line) => line.chat_id === card.id && line.purpose === "answer") ?? [];
  const steps = own.reduce((sum, line) => sum + line.calls, 0);
  const now = useNow({ passes: works });
  const until = works ? now : Date.parse(card.updated_at);
  const facts = [
    works
      ? t("step {step}", { step: steps + 1 })
      : steps > 0 && t("{count, plural, one {# step} other {# steps}}", { count: steps }),
    elapsed(Math.max(0, until - Date.parse(card.created_at))),
    data && data.cost > 0 && money(data.cost),
  ];
  return (
    <span className="progress">
      <Facts of={facts} />
    </span>
  );
}

/** What it does or waits for; at rest what it was about, or that it is done. */
function standing(card: ChatCard): string {
  return card.status === "waiting" && !card.asks ? (card.turn_label ?? t("done")) : subtitleOf(card);
}

export const spawnAgent: Renderer = {
  icon: Bot,
  line: (fields, call) => ({
    verb: tense(call, t("Starting an agent:"), t("Started an agent:")),
    object: textField(fields, "title") || textField(fields, "prompt").slice(0, 80),
    prose: true,
    note: <ChildState id={childId(call)} type={textField(fields, "type")} />,
    timed: true,
  }),
  Body: ({ call, fields }) => (
    <div className="stack">
      <Markdown text={textField(fields, "prompt")} />
      {childId(call) ? (
        <ChildLink id={childId(call)} fallback={t("Open the agent's chat")} />
      ) : (
        <Output text={outputOf(call)} />
      )}
    </div>
  ),
};

interface Report {
  id: string;
  status: string;
  title?: string;
  report?: string;
  timed_out?: boolean;
  last_error?: { message: string };
}

function reportsOf(call: Call): Report[] {
  const list = structured(outputOf(call))?.agents;
  return Array.isArray(list) ? (list as Report[]) : [];
}

const STANDING: Record<string, string> = {
  running: t("Still working when the wait timed out."),
  needs_user: t("Needs you: open its chat."),
  interrupted: t("Stopped."),
  gone: t("No longer exists."),
};

function ReportView({ report }: { report: Report }) {
  return (
    <div className="stack">
      <ChildLink id={report.id} fallback={report.title ?? t("Agent")} />
      {report.last_error && <p className="call-failed">{report.last_error.message}</p>}
      {STANDING[report.status] && <p className="quiet">{STANDING[report.status]}</p>}
      {report.report && <Markdown text={report.report} />}
    </div>
  );
}

export const waitAgent: Renderer = {
  icon: Hourglass,
  line: (_, call) => ({
    verb: tense(call, t("Waiting for agents"), t("Received reports from")),
    object: reportsOf(call)
      .map((report) => report.title)
      .filter(Boolean)
      .join(", "),
    prose: true,
  }),
  Body: ({ call }) => {
    const reports = reportsOf(call);
    if (reports.length === 0) return <Output text={outputOf(call)} />;
    return (
      <div className="stack">
        {reports.map((report) => (
          <ReportView key={report.id} report={report} />
        ))}
      </div>
    );
  },
};

export const messageAgent: Renderer = {
  icon: MessageCircle,
  line: (fields, call) => ({
    verb: tense(call, t("Messaging an agent"), t("Messaged an agent")),
    object: textField(fields, "message").slice(0, 80),
    prose: true,
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const interruptAgent: Renderer = {
  icon: OctagonPause,
  line: (_, call) => ({ verb: tense(call, t("Stopping an agent"), t("Stopped an agent")) }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const listAgents: Renderer = {
  icon: Bot,
  line: (_, call) => ({ verb: tense(call, t("Listing"), t("Listed")), object: t("agents"), prose: true }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const listSubagentModels: Renderer = {
  icon: Bot,
  line: (_, call) => ({
    verb: tense(call, t("Listing"), t("Listed")),
    object: t("models for agents"),
    prose: true,
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
