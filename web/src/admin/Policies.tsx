/** The rules of the house. */

import { Approvals } from "../settings/Approvals.tsx";
import type { Rules } from "../settings/approvals.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { type SettingGroup, SettingsForm } from "../settings/SettingsForm.tsx";
import { choices, useModelChoices } from "./choices.ts";

const EXPERIMENTS = choices("advisor", "hooks", "computer_use", "mcp_tool_search");

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
      title: "Titles and labels",
      about: "A small, cheap model is enough. Without one, the chat's own model does it.",
      name: "title_model",
      fields: [model("value", "Model for titles")],
    },
    {
      title: "Summaries",
      about: "The model that summarises long chats. Without one, the chat's own model does it.",
      name: "compaction_model",
      fields: [model("value", "Model for summaries")],
    },
    {
      title: "Sub-agents",
      name: "subagents",
      fields: [
        number("depth", "Depth", 1, "How deep agents can start agents; 0 turns sub-agents off."),
        number("working", "Concurrent agents", 20, "Per chat."),
        model("general_model", "Model for general agents"),
        model("explore_model", "Model for exploring agents"),
      ],
    },
    {
      title: "Approvals",
      about:
        "Whether a tool runs, asks first, or never runs. People and chats can have rules of their own, but never allow what is set to Never here.",
      name: "approvals",
      view: (value, onChange) => (
        <Approvals level="organisation" layers={{ organisation: value as Rules }} onChange={onChange} />
      ),
    },
    {
      title: "Web search",
      about: "Limit web search to some domains, or block some. Not both.",
      name: "web_search",
      fields: [
        { name: "allowed_domains", label: "Allowed domains", kind: "list" },
        { name: "blocked_domains", label: "Blocked domains", kind: "list" },
        { name: "max_uses", label: "Max searches per answer", kind: "number", placeholder: "no limit" },
      ],
    },
    {
      title: "Retention",
      name: "retention",
      fields: [number("archived_days", "Keep archived chats (days)", 30, "0 keeps them forever.")],
    },
    {
      title: "Auto-archive",
      name: "auto_archive",
      fields: [number("idle_days", "Archive after days without activity", 0, "0 turns it off.")],
    },
    {
      title: "Experiments",
      about: "Features that are off by default.",
      name: "experiments",
      fields: [{ name: "value", label: "On", kind: "several", options: EXPERIMENTS }],
    },
    {
      title: "Debug runs",
      about:
        "Record requests to models and their responses, without secrets. Admins see them in a chat's panel.",
      name: "debug_runs",
      fields: [
        { name: "enabled", label: "Record model calls", kind: "switch" },
        number("kept_hours", "Keep for (hours)", 24),
      ],
    },
    { title: "Limits", name: "step_limit", fields: [number("value", "Max steps per turn", 1_200)] },
    {
      title: "Workspaces",
      name: "workspaces",
      fields: [number("per_person", "Per user", 50, "0 turns workspaces off.")],
    },
  ];
}

export function Policies() {
  return <SettingsForm base="/settings" groups={rulesWith(useModelChoices())} />;
}
