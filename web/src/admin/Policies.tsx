/** The rules of the house, one form each. */

import { SettingForm } from "../settings/SettingForm.tsx";
import { choices, useModelChoices } from "./choices.ts";

const EXPERIMENTS = choices("advisor", "hooks", "computer_use", "mcp_tool_search");

export function Policies() {
  const models = useModelChoices();
  return (
    <>
      <SettingForm
        title="Models for chores"
        about="A cheap model for titles and labels. Empty: the default."
        base="/settings"
        name="title_model"
        fields={[{ name: "value", label: "Model for titles", kind: "choice", options: models }]}
      />
      <SettingForm
        title="Summaries"
        base="/settings"
        name="compaction_model"
        fields={[{ name: "value", label: "Model for summaries", kind: "choice", options: models }]}
      />
      <SettingForm
        title="Sub-agents"
        base="/settings"
        name="subagents"
        fields={[
          {
            name: "depth",
            label: "Depth",
            placeholder: "1",
            kind: "number",
            hint: "How many chats may stand below one another; 0 switches agents off.",
          },
          {
            name: "working",
            label: "At work at once",
            placeholder: "20",
            kind: "number",
            hint: "For one chat.",
          },
          { name: "general_model", label: "Model of general agents", kind: "choice", options: models },
          { name: "explore_model", label: "Model of exploring agents", kind: "choice", options: models },
        ]}
      />
      <SettingForm
        title="Approvals"
        about="Per tool: auto, ask or deny."
        base="/settings"
        name="approvals"
        fields={[{ name: "value", label: "Tools", kind: "json" }]}
      />
      <SettingForm
        title="Retention"
        base="/settings"
        name="retention"
        fields={[
          { name: "archived_days", label: "Keep archived chats (days)", placeholder: "30", kind: "number" },
        ]}
      />
      <SettingForm
        title="Auto-archive"
        base="/settings"
        name="auto_archive"
        fields={[
          {
            name: "idle_days",
            label: "Archive after idle days",
            placeholder: "0",
            kind: "number",
            hint: "0 switches it off.",
          },
        ]}
      />
      <SettingForm
        title="Experiments"
        about="Features that are off until they are turned on here."
        base="/settings"
        name="experiments"
        fields={[{ name: "value", label: "On", kind: "several", options: EXPERIMENTS }]}
      />
      <SettingForm
        title="Debug runs"
        about="Keep what was sent to models and what came back, word for word but for secrets. Admins see it in a chat's panel."
        base="/settings"
        name="debug_runs"
        fields={[
          { name: "enabled", label: "Keep them", kind: "switch" },
          { name: "kept_hours", label: "For so many hours", placeholder: "24", kind: "number" },
        ]}
      />
      <SettingForm
        title="Limits"
        base="/settings"
        name="step_limit"
        fields={[{ name: "value", label: "Steps of one turn", placeholder: "1200", kind: "number" }]}
      />
      <SettingForm
        title="Workspaces"
        base="/settings"
        name="workspaces"
        fields={[
          {
            name: "per_person",
            label: "For each person",
            placeholder: "50",
            kind: "number",
            hint: "0 switches workspaces off.",
          },
        ]}
      />
    </>
  );
}
