/** Each model call: what was sent, what came, how long, how much of it was cached. */

import { useQuery } from "@tanstack/react-query";
import { Bug } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { DebugRun } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { Output } from "../tools/Output.tsx";
import { Facts } from "../ui/Facts.tsx";
import { clockTime, duration, money, percent, tokens } from "../ui/format.ts";

/** A call is written down a moment after its answer stands in the chat. */
const AGAIN_MS = 3_000;

const selectSteps = (chat: ChatState) => chat.messages.length;

export function DebugRuns() {
  const live = useLiveChat();
  const steps = useChat(selectSteps);
  const { data, error } = useQuery({
    queryKey: ["debug", live.id, steps],
    queryFn: () => api.get(`/chats/${live.id}/debug`, { limit: 50 }),
    retry: false,
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => before,
  });
  if (error) return <p className="panel-note quiet">{error.message}</p>;
  if (!data) return null;
  if (data.items.length === 0) {
    return (
      <div className="empty">
        <Bug aria-hidden />
        <p>{t("No model calls have been recorded for this chat.")}</p>
        <Link href="/admin/policies">{t("Start recording")}</Link>
      </div>
    );
  }
  return (
    <ol className="panel-pad stack">
      {data.items.map((run) => (
        <Run key={run.id} run={run} />
      ))}
    </ol>
  );
}

function factsOf(run: DebugRun): string[] {
  const { input = 0, output = 0, cache_read = 0 } = run.usage ?? {};
  const { count, kept } = run.blocks;
  return [
    t("turn {turn}", { turn: run.turn }),
    run.attempt > 1 && t("attempt {attempt}", { attempt: run.attempt }),
    run.first_event_ms !== undefined && t("first event {time}", { time: duration(run.first_event_ms) }),
    duration(run.duration_ms),
    input > 0 &&
      t("{input} in ({share} cached)", {
        input: tokens(input),
        share: percent(cache_read / input),
      }),
    output > 0 && t("{output} out", { output: tokens(output) }),
    run.cost !== undefined && money(run.cost),
    kept > 0 && kept < count && t("prompt changed at block {kept} of {count}", { kept: kept + 1, count }),
  ].filter((fact) => typeof fact === "string");
}

function Run({ run }: { run: DebugRun }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="card debug-run">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="spread">
          <strong className="truncate grow">{run.model}</strong>
          {run.purpose !== "answer" && <span className="pill">{termOf(run.purpose)}</span>}
          {run.outcome !== "ok" && (
            <span className="pill pill-bad">
              {run.status ?? ""} {termOf(run.outcome)}
            </span>
          )}
          <span className="quiet small">{clockTime(run.started_at)}</span>
        </span>
        <span className="quiet small">
          <Facts of={factsOf(run)} />
        </span>
      </button>
      {open && (
        <div className="stack debug-body">
          {run.error && <p className="call-failed">{run.error}</p>}
          <h4>{t("Sent")}</h4>
          <Output text={pretty(run.request)} language="json" />
          <h4>{t("Received")}</h4>
          <Output text={run.response} language="json" />
        </div>
      )}
    </li>
  );
}

function pretty(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
