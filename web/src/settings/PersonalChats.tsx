import { t } from "../language/catalogue.ts";
import { Approvals } from "./Approvals.tsx";
import type { Rules } from "./approvals.ts";
import { SettingsForm, useSettings } from "./SettingsForm.tsx";
import { Thresholds } from "./Thresholds.tsx";

/** What one's own chats are told, and what they may do without asking. */
export function PersonalChats() {
  const house = useSettings("/settings").data;
  return (
    <SettingsForm
      base="/me/settings"
      groups={[
        {
          title: t("Your instructions"),
          about: t("Added to each of your chats: how you like answers, what to avoid, who you are."),
          name: "prompt",
          fields: [{ name: "value", label: t("Instructions"), kind: "area" }],
        },
        {
          title: t("Your approvals"),
          about: t(
            "Whether a tool runs, asks you first, or never runs. A chat can have a rule of its own; what the organization never allows stays that way.",
          ),
          name: "approvals",
          view: (value, onChange) => (
            <Approvals
              level="person"
              layers={{ organisation: house?.approvals as Rules | undefined, person: value as Rules }}
              onChange={onChange}
            />
          ),
        },
        {
          title: t("Automatic compaction"),
          about: t(
            "Older messages are summarized when a chat fills this much of the model's context window.",
          ),
          name: "compaction_thresholds",
          view: (value, onChange) => (
            <Thresholds value={(value ?? {}) as Record<string, number>} onChange={onChange} />
          ),
        },
      ]}
    />
  );
}
