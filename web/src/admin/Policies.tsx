/** The rules of the house, one form each. */

import type { FieldSpec } from "../settings/form.tsx";
import { SettingForm } from "../settings/SettingForm.tsx";
import { choices, useModelChoices } from "./choices.ts";

const EXPERIMENTS = choices("advisor", "hooks", "computer_use", "mcp_tool_search");

interface Rule {
  title: string;
  about?: string;
  /** What the setting is called on the server. */
  name: string;
  fields: FieldSpec[];
}

const number = (name: string, label: string, usual: number, hint?: string): FieldSpec => ({
  name,
  label,
  hint,
  placeholder: String(usual),
  kind: "number",
});

function rulesWith(models: FieldSpec["options"]): Rule[] {
  const model = (name: string, label: string): FieldSpec => ({
    name,
    label,
    kind: "choice",
    options: models,
  });
  return [
    {
      title: "Models for chores",
      about: "A cheap model for titles and labels. Empty: the default.",
      name: "title_model",
      fields: [model("value", "Model for titles")],
    },
    { title: "Summaries", name: "compaction_model", fields: [model("value", "Model for summaries")] },
    {
      title: "Sub-agents",
      name: "subagents",
      fields: [
        number("depth", "Depth", 1, "How many chats may stand below one another; 0 switches agents off."),
        number("working", "At work at once", 20, "For one chat."),
        model("general_model", "Model of general agents"),
        model("explore_model", "Model of exploring agents"),
      ],
    },
    {
      title: "Approvals",
      about: "Per tool: auto, ask or deny.",
      name: "approvals",
      fields: [{ name: "value", label: "Tools", kind: "json" }],
    },
    {
      title: "Web search",
      about:
        "Where chats that may search the web find something. Name domains to allow or to block, not both.",
      name: "web_search",
      fields: [
        { name: "allowed_domains", label: "Only these domains", kind: "list" },
        { name: "blocked_domains", label: "Never these domains", kind: "list" },
        { name: "max_uses", label: "Searches of one answer", kind: "number", placeholder: "no limit" },
      ],
    },
    {
      title: "Retention",
      name: "retention",
      fields: [number("archived_days", "Keep archived chats (days)", 30, "0 keeps them for ever.")],
    },
    {
      title: "Auto-archive",
      name: "auto_archive",
      fields: [number("idle_days", "Archive after idle days", 0, "0 switches it off.")],
    },
    {
      title: "Experiments",
      about: "Features that are off until they are turned on here.",
      name: "experiments",
      fields: [{ name: "value", label: "On", kind: "several", options: EXPERIMENTS }],
    },
    {
      title: "Debug runs",
      about:
        "Keep what was sent to models and what came back, word for word but for secrets. Admins see it in a chat's panel.",
      name: "debug_runs",
      fields: [
        { name: "enabled", label: "Keep them", kind: "switch" },
        number("kept_hours", "For so many hours", 24),
      ],
    },
    { title: "Limits", name: "step_limit", fields: [number("value", "Steps of one turn", 1_200)] },
    {
      title: "Workspaces",
      name: "workspaces",
      fields: [number("per_person", "For each person", 50, "0 switches workspaces off.")],
    },
  ];
}

export function Policies() {
  return rulesWith(useModelChoices()).map((rule) => (
    <SettingForm key={rule.name} base="/settings" {...rule} />
  ));
}
