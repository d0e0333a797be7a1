/** Your own rules: who is asked, and at which moments. */

import { Link } from "wouter";
import type { FieldSpec } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { Secret } from "../settings/Secret.tsx";
import { HookLog } from "./HookLog.tsx";

interface Hook {
  id: string;
  url: string;
  events: string[];
  name?: string;
  enabled?: boolean;
  /** Only where the server just made it. */
  secret?: string | null;
}

const EVENTS = [
  { value: "session_start", label: "a chat begins" },
  { value: "user_prompt_submit", label: "somebody sends a message" },
  { value: "pre_tool_use", label: "before a tool runs" },
  { value: "post_tool_use", label: "after a tool ran" },
  { value: "pre_compact", label: "before a summary" },
  { value: "post_compact", label: "after a summary" },
  { value: "stop", label: "a turn is about to end" },
];

const FIELDS: FieldSpec[] = [
  { name: "name", label: "Name" },
  { name: "url", label: "Address", required: true, placeholder: "https://rules.example.org/hook" },
  { name: "events", label: "Moments", kind: "several", options: EVENTS },
  {
    name: "tools",
    label: "Only about these tools",
    kind: "list",
    hint: "Empty: all. A name may end with *.",
  },
  {
    name: "secret",
    label: "Secret",
    kind: "password",
    hint: "It signs every request; at least 16 characters. Empty keeps the one that is set, or makes one.",
  },
  { name: "timeout_ms", label: "Patience (ms)", kind: "number", hint: "At most 5,000." },
  { name: "fail_open", label: "Go on when it cannot be asked", kind: "switch" },
  { name: "enabled", label: "On", kind: "switch" },
];

export function Hooks() {
  return (
    <ResourcePage<Hook>
      title="Hooks"
      about="A signed request at each of these moments. Its answer may deny, rewrite or add."
      path="/hooks"
      noun="hook"
      initial={{ events: ["pre_tool_use"], timeout_ms: 1_500, enabled: true }}
      fields={FIELDS}
      off={
        <p className="quiet">
          Hooks are an experiment, and it is off.{" "}
          <Link href="/admin/policies">Turn it on under Policies.</Link>
        </p>
      }
      idOf={(hook) => hook.id}
      made={(hook) => hook.secret && <Secret text={hook.secret} label="Copy secret" />}
      more={(hook) => <HookLog hook={hook.id} name={hook.name || hook.url} />}
      row={(hook) => (
        <>
          <strong>{hook.name || hook.url}</strong>{" "}
          {!hook.enabled && <span className="pill pill-warn">off</span>}
          <div className="quiet small mono truncate">{hook.url}</div>
          <div className="quiet small">{hook.events.join(", ")}</div>
        </>
      )}
    />
  );
}
