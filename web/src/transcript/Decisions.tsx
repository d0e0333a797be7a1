/** Calls that wait for a decision: decided one by one, several at once, or all; by mouse and by keyboard. */

import { type KeyboardEvent, useRef, useState } from "react";
import { api } from "../api/client.ts";
import type { Approvers, PendingAction, PendingCall } from "../api/types.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMayDecide } from "../chat/network/people.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import { Proposed } from "../tools/Proposed.tsx";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

/** What the API takes, and what only this page means. */
export type Decision = NonNullable<PendingCall["decision"]> | "approve_always";
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

interface May {
  approve: boolean;
  deny: boolean;
  always: boolean;
}

/** The ways that are open to whoever looks. What became of a call, those say who may approve. */
function allowed(kind: Asked, may: May): Way[] {
  return WAYS[kind].filter(({ decision }) => {
    if (decision === "deny") return may.deny;
    return decision === "approve_always" ? may.approve && may.always : may.approve;
  });
}

const WHO: Partial<Record<Approvers, string>> = {
  author: t("Only the person who asked can approve."),
  not_author: t("Somebody other than the person who asked must approve."),
  two_people: t("Two people must approve."),
};

/** What was decided, as far as that leaves nothing to do for whoever looks. */
function decidedOf(call: PendingCall, two: boolean, me: string): Decision | null {
  const waits = two && call.decision === "approve" && (call.decided_by ?? []).length < 2;
  const own = call.decided_by?.some((person) => person.id === me);
  return waits && !own ? null : (call.decision ?? null);
}

export function Decisions({ kind, action }: { kind: Asked; action: PendingAction }) {
  const calls = action.calls ?? [];
  const mine = useMine();
  const me = useMe();
  const { approve, deny } = useMayDecide(action);
  const two = action.approvers === "two_people";
  const may = { approve, deny, always: mine && (action.approvers ?? "anybody") === "anybody" };
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { chosen, decide } = useDecisions();
  const open = calls.filter((call) => !decidedOf(call, two, me.id) && !chosen[call.call_id]);
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
            may={may}
            decided={decidedOf(call, two, me.id) ?? chosen[call.call_id] ?? null}
            selected={calls.length > 1 ? selected.has(call.call_id) : null}
            onSelect={(on) => select(call.call_id, on)}
            onDecide={(decision, reason) => decide([call], decision, reason)}
          />
        ))}
      </ol>
      {(approve || deny) && open.length > 1 && (
        <Together
          kind={kind}
          may={may}
          open={open}
          selected={open.filter((call) => selected.has(call.call_id))}
          onDecide={decide}
        />
      )}
      {WHO[action.approvers ?? "anybody"] && <p className="quiet">{WHO[action.approvers ?? "anybody"]}</p>}
      {!approve && !action.approvers && <p className="quiet">{t("Others in this chat decide.")}</p>}
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
  may: May;
  decided: Decision | null;
  /** Null where there is only one call, and nothing to select. */
  selected: boolean | null;
  onSelect: (on: boolean) => void;
  onDecide: (decision: Decision, reason?: string) => void;
}

function Pending({ call, kind, may, decided, selected, onSelect, onDecide }: PendingProps) {
  const [denying, setDenying] = useState(false);
  const ways = allowed(kind, may);
  const deciders = (call.decided_by ?? []).map((person) => person.name).join(", ");
  const act = (decision: Decision) => (decision === "deny" ? setDenying(true) : onDecide(decision));
  const press = (event: KeyboardEvent) => {
    if (decided || isText(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ways.find((entry) => entry.key && entry.key === event.key.toLowerCase());
    if (!way) return;
    event.preventDefault();
    act(way.decision);
  };
  return (
    <li className="pending" onKeyDown={press} data-decided={decided ?? undefined}>
      <div className="spread">
        {selected !== null && ways.length > 0 && !decided ? (
          <label className="spread">
            <input
              type="checkbox"
              aria-label={t("Select {tool}", { tool: call.tool })}
              checked={selected}
              onChange={(event) => onSelect(event.target.checked)}
            />
            <code className="pill">{call.tool}</code>
          </label>
        ) : (
          <code className="pill">{call.tool}</code>
        )}
        {decided && <span className="pill pill-accent">{DECIDED[decided]}</span>}
        {deciders && <span className="quiet small">{deciders}</span>}
      </div>
      <Proposed tool={call.tool} args={call.args} />
      {ways.length > 0 && !decided && !denying && (
        <div className="spread wrap pending-ways">
          {ways.map(({ decision, words, key }, at) => (
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
      className="spread wrap denial"
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
  may: May;
  open: readonly PendingCall[];
  selected: readonly PendingCall[];
  onDecide: Decide;
}

/** One decision about all calls, or about those that are selected. */
function Together({ kind, may, open, selected, onDecide }: TogetherProps) {
  const meant = selected.length > 0 ? selected : open;
  const which =
    selected.length > 0
      ? t("{count} selected", { count: selected.length })
      : t("all {count}", { count: open.length });
  return (
    <div className="spread wrap decide-together" role="group" aria-label={t("Decide all at once")}>
      {allowed(kind, may)
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
  const next = calls[at + step]?.querySelector<HTMLElement>(".pending-ways .button");
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function isText(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type !== "checkbox";
}
