/** Calls that wait for a decision: decided one by one, several at once, or all; by mouse and by keyboard. */

import { type KeyboardEvent, useRef, useState } from "react";
import { api } from "../api/client.ts";
import type { PendingCall } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { useMine } from "../chat/reading.ts";
import { t } from "../language/catalogue.ts";
import { Proposed } from "../tools/Proposed.tsx";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

export type Decision = "approve" | "approve_always" | "deny" | "happened" | "repeat" | "skip";
export type Asked = "approval" | "outcome_unknown";

interface Way {
  decision: Decision;
  words: string;
  key: string;
  /** Said of all calls, or of those that are selected. */
  many: boolean;
}

const WAYS: Record<Asked, Way[]> = {
  approval: [
    { decision: "approve", words: t("Approve"), key: "a", many: true },
    { decision: "deny", words: t("Deny"), key: "d", many: true },
    { decision: "approve_always", words: t("Always allow in this chat"), key: "", many: false },
  ],
  outcome_unknown: [
    { decision: "happened", words: t("It happened"), key: "h", many: true },
    { decision: "repeat", words: t("Run again"), key: "r", many: true },
    { decision: "skip", words: t("Skip"), key: "s", many: true },
  ],
};
const DECIDED: Record<string, string> = {
  approve: t("Approved"),
  approve_always: t("Approved"),
  deny: t("Denied"),
  happened: t("It happened"),
  repeat: t("Runs again"),
  skip: t("Skipped"),
};

export function Decisions({ kind, calls }: { kind: Asked; calls: readonly PendingCall[] }) {
  const mine = useMine();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { chosen, decide } = useDecisions();
  const open = calls.filter((call) => !call.decision && !chosen[call.call_id]);
  const list = useRef<HTMLOListElement>(null);
  const select = (id: string, on: boolean) =>
    setSelected(new Set(on ? [...selected, id] : [...selected].filter((entry) => entry !== id)));
  return (
    <>
      <ol className="pending-calls" ref={list} onKeyDown={(event) => move(event, list.current)}>
        {calls.map((call) => (
          <Pending
            key={call.call_id}
            call={call}
            kind={kind}
            mine={mine}
            decided={call.decision ?? chosen[call.call_id] ?? null}
            selected={calls.length > 1 ? selected.has(call.call_id) : null}
            onSelect={(on) => select(call.call_id, on)}
            onDecide={(decision, reason) => decide([call], decision, reason)}
          />
        ))}
      </ol>
      {mine && open.length > 1 && (
        <Together
          kind={kind}
          open={open}
          selected={open.filter((call) => selected.has(call.call_id))}
          onDecide={decide}
        />
      )}
      {!mine && <p className="quiet">{t("The owner of the chat decides.")}</p>}
    </>
  );
}

type Decide = (calls: readonly PendingCall[], decision: Decision, reason?: string) => void;

/** What was decided here and the server has not said yet, and the way to decide. */
function useDecisions(): { chosen: Record<string, Decision>; decide: Decide } {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [chosen, setChosen] = useState<Record<string, Decision>>({});
  const decide: Decide = (calls, decision, reason) => {
    const ids = calls.map((call) => call.call_id);
    setChosen((before) => ({ ...before, ...Object.fromEntries(ids.map((id) => [id, decision])) }));
    const decisions = ids.map((call_id) => ({ call_id, decision, ...(reason ? { result: reason } : {}) }));
    api.post(`/chats/${live.id}/action`, { decisions }).catch((error: unknown) => {
      setChosen((before) => Object.fromEntries(Object.entries(before).filter(([id]) => !ids.includes(id))));
      complain(error);
    });
  };
  return { chosen, decide };
}

interface PendingProps {
  call: PendingCall;
  kind: Asked;
  mine: boolean;
  decided: Decision | null;
  /** Null where there is only one call, and nothing to select. */
  selected: boolean | null;
  onSelect: (on: boolean) => void;
  onDecide: (decision: Decision, reason?: string) => void;
}

function Pending({ call, kind, mine, decided, selected, onSelect, onDecide }: PendingProps) {
  const [denying, setDenying] = useState(false);
  const act = (decision: Decision) => (decision === "deny" ? setDenying(true) : onDecide(decision));
  const press = (event: KeyboardEvent) => {
    if (decided || !mine || isText(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[kind].find((entry) => entry.key && entry.key === event.key.toLowerCase());
    if (!way) return;
    event.preventDefault();
    act(way.decision);
  };
  return (
    <li className="pending" onKeyDown={press} data-decided={decided ?? undefined}>
      <div className="spread">
        {selected !== null && mine && !decided && (
          <input
            type="checkbox"
            aria-label={t("Select {tool}", { tool: call.tool })}
            checked={selected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        )}
        <code className="pill">{call.tool}</code>
        {decided && <span className="pill pill-accent">{DECIDED[decided]}</span>}
      </div>
      <Proposed tool={call.tool} args={call.args} />
      {mine && !decided && !denying && (
        <div className="spread wrap">
          {WAYS[kind].map(({ decision, words, key }, at) => (
            <Button
              key={decision}
              look={at === 0 ? "primary" : "plain"}
              aria-keyshortcuts={key.toUpperCase() || undefined}
              onClick={() => act(decision)}
            >
              {words}
            </Button>
          ))}
        </div>
      )}
      {denying && !decided && (
        <Denial
          onDeny={(reason) => {
            setDenying(false);
            onDecide("deny", reason);
          }}
          onCancel={() => setDenying(false)}
        />
      )}
    </li>
  );
}

function Denial({ onDeny, onCancel }: { onDeny: (reason: string) => void; onCancel: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <form
      className="spread wrap"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(reason.trim());
      }}
    >
      <input
        className="input grow"
        aria-label={t("Reason for the denial (optional)")}
        placeholder={t("Reason (optional), for the model")}
        value={reason}
        // biome-ignore lint/a11y/noAutofocus: whoever pressed Deny writes here, or presses Enter
        autoFocus
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onCancel();
        }}
      />
      <Button look="danger" type="submit">
        {t("Deny")}
      </Button>
      <Button look="ghost" onClick={onCancel}>
        {t("Cancel")}
      </Button>
    </form>
  );
}

interface TogetherProps {
  kind: Asked;
  open: readonly PendingCall[];
  selected: readonly PendingCall[];
  onDecide: Decide;
}

/** One decision about all calls, or about those that are selected. */
function Together({ kind, open, selected, onDecide }: TogetherProps) {
  const meant = selected.length > 0 ? selected : open;
  const which =
    selected.length > 0
      ? t("{count} selected", { count: selected.length })
      : t("all {count}", { count: open.length });
  return (
    <div className="spread wrap decide-together" role="group" aria-label={t("Decide all at once")}>
      {WAYS[kind]
        .filter((way) => way.many)
        .map(({ decision, words }) => (
          <Button key={decision} onClick={() => onDecide(meant, decision)}>
            {words} ({which})
          </Button>
        ))}
    </div>
  );
}

/** Arrows go from call to call. */
function move(event: KeyboardEvent, list: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !list || isText(event.target)) return;
  const calls = [...list.querySelectorAll<HTMLElement>(".pending:not([data-decided])")];
  const at = calls.findIndex((call) => call.contains(event.target as Node));
  const next = calls[at + step]?.querySelector<HTMLElement>(".button");
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function isText(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type !== "checkbox";
}
