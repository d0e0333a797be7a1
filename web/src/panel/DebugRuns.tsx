/** Each model call: what was sent, what came, how long, how much of it was cached. */

import { useQuery } from "@tanstack/react-query";
import { Bug } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { listOf } from "../app/models.ts";
import { useChat, useLiveChat } from "../chat/hooks.ts";
import type { ChatState } from "../chat/state.ts";
import { Output } from "../tools/Output.tsx";
import { clockTime, duration, tokens } from "../ui/format.ts";

interface DebugRun {
  id?: string | number;
  number?: number;
  purpose?: string;
  model?: string;
  attempt?: number;
  started_at?: string;
  duration_ms?: number;
  first_event_ms?: number;
  status?: number;
  error?: string;
  usage?: { input?: number; output?: number; cache_read?: number };
  request?: unknown;
  response?: unknown;
}

const selectSteps = (chat: ChatState) => chat.messages.length;

export function DebugRuns() {
  const live = useLiveChat();
  const steps = useChat(selectSteps);
  const { data, error } = useQuery({
    queryKey: ["debug", live.id, steps],
    queryFn: async () => listOf(await api.get<DebugRun[] | { items: DebugRun[] }>(`/chats/${live.id}/debug`)),
    retry: false,
    placeholderData: (before) => before,
  });
  if (error) return <p className="panel-note quiet">{error.message}</p>;
  if (!data || data.length === 0) {
    return (
      <div className="empty">
        <Bug aria-hidden />
        <p>No model calls are recorded for this chat.</p>
      </div>
    );
  }
  return (
    <ol className="panel-pad stack">
      {data.map((run, at) => (
        <Run key={run.id ?? at} run={run} />
      ))}
    </ol>
  );
}

function Run({ run }: { run: DebugRun }) {
  const [open, setOpen] = useState(false);
  const { input = 0, output = 0, cache_read = 0 } = run.usage ?? {};
  const facts = [
    run.first_event_ms !== undefined && `first event ${duration(run.first_event_ms)}`,
    run.duration_ms !== undefined && duration(run.duration_ms),
    input > 0 && `${tokens(input)} in (${Math.round((100 * cache_read) / input)} % cached)`,
    output > 0 && `${tokens(output)} out`,
    (run.attempt ?? 1) > 1 && `attempt ${run.attempt}`,
  ].filter(Boolean);
  return (
    <li className="card debug-run">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="spread">
          <strong className="truncate grow">{run.model ?? "model"}</strong>
          {run.error ? <span className="pill pill-bad">{run.error}</span> : null}
          <span className="quiet small">{run.started_at ? clockTime(run.started_at) : ""}</span>
        </span>
        <span className="quiet small">{facts.join(" · ")}</span>
      </button>
      {open && (
        <div className="stack debug-body">
          <h4>Sent</h4>
          <Output text={pretty(run.request)} language="json" />
          <h4>Came back</h4>
          <Output text={pretty(run.response)} language="json" />
        </div>
      )}
    </li>
  );
}

function pretty(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
