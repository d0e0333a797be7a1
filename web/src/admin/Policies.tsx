/** The rules of the house. */

import { t } from "../language/catalogue.ts";
import { Approvals } from "../settings/Approvals.tsx";
import type { Rules } from "../settings/approvals.ts";
import { APPROVERS } from "../settings/approvers.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { type SettingGroup, SettingsForm } from "../settings/SettingsForm.tsx";
import { choices, useModelChoices } from "./choices.ts";

const EXPERIMENTS = [
  { value: "advisor", label: t("Advisor") },
  ...choices("hooks", "computer_use", "mcp_tool_search"),
];

const number = (name: string, label: string, usual: number, hint?: string): FieldSpec => ({
  name,
  label,
  hint,
  placeholder: String(usual),
  kind: "number",
});

function rulesWith(models: FieldSpec["options"]): SettingGroup[] {
  const model = (name: string, label: string): FieldSpec => ({
    name,
    label,
    kind: "choice",
    options: models,
  });
  return [
    {
      title: t("Titles and labels"),
      about: t("A small, cheap model is enough. Without one, the chat's own model does it."),
      name: "title_model",
      fields: [model("value", t("Model for titles"))],
    },
    {
      title: t("Summaries"),
      about: t("The model that summarizes long chats. Without one, the chat's own model does it."),
      name: "compaction_model",
      fields: [model("value", t("Model for summaries"))],
    },
    {
      title: t("Sub-agents"),
      name: "subagents",
      fields: [
        number(
          "depth",
          t("Depth"),
          1,
          t("How many levels deep agents can start agents; 0 turns sub-agents off."),
        ),
        number("working", t("Concurrent agents"), 20, t("Per chat.")),
        model("general_model", t("Model for general agents")),
        model("explore_model", t("Model for exploring agents")),
      ],
    },
    {
      title: t("Approvals"),
      about: t(
        "Whether a tool runs, asks first, or never runs. People and chats can have rules of their own, but never allow what is set to Never here.",
      ),
      name: "approvals",
      view: (value, onChange) => (
        <Approvals level="organisation" layers={{ organisation: value as Rules }} onChange={onChange} />
      ),
    },
    {
      title: t("Who approves"),
      about: t("Anything but the first choice holds in every chat. With the first, each chat has its own."),
      name: "approvers",
      fields: [{ name: "value", label: t("Who approves"), kind: "choice", options: APPROVERS }],
    },
    {
      title: t("Web search"),
      about: t("Limit web search to certain domains, or block certain domains, but not both."),
      name: "web_search",
      fields: [
        { name: "allowed_domains", label: t("Allowed domains"), kind: "list" },
        { name: "blocked_domains", label: t("Blocked domains"), kind: "list" },
        { name: "max_uses", label: t("Max searches per answer"), kind: "number", placeholder: t("no limit") },
      ],
    },
    {
      title: t("Retention"),
      name: "retention",
      fields: [number("archived_days", t("Keep archived chats (days)"), 30, t("0 keeps them forever."))],
    },
    {
      title: t("Auto-archive"),
      name: "auto_archive",
      fields: [number("idle_days", t("Archive after days without activity"), 0, t("0 turns it off."))],
    },
    {
      title: t("Experiments"),
      about: t("Features that are off by default."),
      name: "experiments",
      fields: [{ name: "value", label: t("Enabled"), kind: "several", options: EXPERIMENTS }],
    },
    {
      title: t("Debug runs"),
      about: t(
        "Record requests to models and their responses, without secrets. Admins see them in a chat's panel.",
      ),
      name: "debug_runs",
      fields: [
        { name: "enabled", label: t("Record model calls"), kind: "switch" },
        number("kept_hours", t("Keep for (hours)"), 24),
      ],
    },
    { title: t("Limits"), name: "step_limit", fields: [number("value", t("Max steps per turn"), 1_200)] },
    {
      title: t("Workspaces"),
      name: "workspaces",
      fields: [number("per_person", t("Per user"), 50, t("0 turns workspaces off."))],
    },
  ];
}

export function Policies() {
  return <SettingsForm base="/settings" groups={rulesWith(useModelChoices())} />;
}
