/** Your own rules: who is asked, and at which moments. */

import { Webhook } from "lucide-react";
import { Link } from "wouter";
import { t } from "../language/catalogue.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { Secret } from "../settings/Secret.tsx";
import { HookLog } from "./HookLog.tsx";

export const EVENTS = [
  { value: "session_start", label: t("Chat started") },
  { value: "user_prompt_submit", label: t("Message sent") },
  { value: "pre_tool_use", label: t("Before a tool runs") },
  { value: "post_tool_use", label: t("After a tool has run") },
  { value: "pre_compact", label: t("Before compaction") },
  { value: "post_compact", label: t("After compaction") },
  { value: "stop", label: t("Before a turn ends") },
];

const FIELDS: FieldSpec[] = [
  { name: "name", label: t("Name") },
  { name: "url", label: t("URL"), required: true, placeholder: "https://rules.example.org/hook" },
  { name: "events", label: t("Events"), kind: "several", options: EVENTS },
  {
    name: "tools",
    label: t("Only for these tools"),
    kind: "list",
    hint: t("Leave empty for all. A name can end with *."),
  },
  {
    name: "secret",
    label: t("Secret"),
    kind: "password",
    hint: t(
      "Signs every request; at least 16 characters. Leave empty to keep the current one, or to generate one.",
    ),
  },
  { name: "timeout_ms", label: t("Timeout (ms)"), kind: "number", hint: t("At most 5,000.") },
  { name: "fail_open", label: t("Continue if the hook cannot be reached"), kind: "switch" },
  { name: "enabled", label: t("On"), kind: "switch" },
];

export function Hooks() {
  return (
    <ResourcePage
      title={t("Hooks")}
      about={t("A signed HTTP request for each of these events. The response can deny, rewrite or add.")}
      path="/hooks"
      noun={t("hook")}
      initial={{ events: ["pre_tool_use"], timeout_ms: 1_500, enabled: true }}
      fields={FIELDS}
      off={
        <p className="quiet">
          {t("Hooks are experimental and turned off.")}{" "}
          <Link href="/admin/policies">{t("Turn them on under Policies.")}</Link>
        </p>
      }
      nothing={{
        icon: Webhook,
        title: t("No hooks yet"),
        words: t(
          "A hook calls a program of yours before a tool runs or when something happens in a chat. You need its URL; its response can allow, deny or change what happens.",
        ),
      }}
      idOf={(hook) => hook.id}
      made={(hook) => hook.secret && <Secret text={hook.secret} label={t("Copy secret")} />}
      more={(hook) => <HookLog hook={hook.id} name={hook.name || hook.url} />}
      row={(hook) => (
        <>
          <strong>{hook.name || hook.url}</strong>{" "}
          {!hook.enabled && <span className="pill pill-warn">{t("off")}</span>}
          <div className="quiet small mono truncate">{hook.url}</div>
          <div className="quiet small">{hook.events.join(", ")}</div>
        </>
      )}
    />
  );
}
