/** Sub-agents: what each was asked, how it is doing, and what it reported. */

import { Bot, Hourglass, MessageCircle, OctagonPause } from "lucide-react";
import { Link } from "wouter";
import type { ChatCard } from "../api/types.ts";
import { type Call, structured, textField } from "../chat/calls.ts";
import { useCard } from "../list/directory.ts";
import { subtitleOf } from "../list/groups.ts";
import { StatusIcon } from "../list/StatusIcon.tsx";
import { Markdown } from "../markdown/Markdown.tsx";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

function childId(call: Call): string {
  return textField(structured(outputOf(call)) ?? {}, "id");
}

/** A child's line: it stays live, because its card comes with the watch stream. */
export function ChildLink({ id, fallback }: { id: string; fallback: string }) {
  const card = useCard(id);
  return (
    <Link href={`/chats/${id}`} className="child-link">
      {card && <StatusIcon card={card} />}
      <span className="truncate">{card?.title ?? fallback}</span>
      <span className="quiet small">{card?.turn_label ?? ""}</span>
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
    </span>
  );
}

/** What it does or waits for; at rest what it was about, or that it is done. */
function standing(card: ChatCard): string {
  return card.status === "waiting" && !card.asks ? (card.turn_label ?? "done") : subtitleOf(card);
}

export const spawnAgent: Renderer = {
  icon: Bot,
  line: (fields, call) => ({
    verb: tense(call, "Starting an agent:", "Started an agent:"),
    object: textField(fields, "title") || textField(fields, "prompt").slice(0, 80),
    note: <ChildState id={childId(call)} type={textField(fields, "type")} />,
  }),
  Body: ({ call, fields }) => (
    <div className="stack">
      <Markdown text={textField(fields, "prompt")} />
      {childId(call) ? (
        <ChildLink id={childId(call)} fallback="Open the agent's chat" />
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
  running: "Still working when the wait timed out.",
  needs_user: "Needs you: open its chat.",
  interrupted: "Stopped.",
  gone: "No longer exists.",
};

function ReportView({ report }: { report: Report }) {
  return (
    <div className="stack">
      <ChildLink id={report.id} fallback={report.title ?? "Agent"} />
      {report.last_error && <p className="call-failed">{report.last_error.message}</p>}
      {STANDING[report.status] && <p className="quiet">{STANDING[report.status]}</p>}
      {report.report && <Markdown text={report.report} />}
    </div>
  );
}

export const waitAgent: Renderer = {
  icon: Hourglass,
  line: (_, call) => ({
    verb: tense(call, "Waiting for agents", "Received from"),
    object: reportsOf(call)
      .map((report) => report.title)
      .filter(Boolean)
      .join(", "),
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
    verb: tense(call, "Messaging an agent", "Messaged an agent"),
    object: textField(fields, "message").slice(0, 80),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const interruptAgent: Renderer = {
  icon: OctagonPause,
  line: (_, call) => ({ verb: tense(call, "Stopping an agent", "Stopped an agent") }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const listAgents: Renderer = {
  icon: Bot,
  line: (_, call) => ({ verb: tense(call, "Listing", "Listed"), object: "agents" }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const listSubagentModels: Renderer = {
  icon: Bot,
  line: (_, call) => ({ verb: tense(call, "Listing", "Listed"), object: "models for agents" }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
