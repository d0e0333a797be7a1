import { SettingForm } from "./SettingForm.tsx";

/** What one's own chats are told, and what they may do without asking. */
export function PersonalChats() {
  return (
    <>
      <SettingForm
        title="Your instructions"
        about="Added to each of your chats: how you like answers, what to avoid, who you are."
        base="/me/settings"
        name="prompt"
        fields={[{ name: "value", label: "Instructions", kind: "area" }]}
      />
      <SettingForm
        title="Your approvals"
        about='Per tool: auto, ask or deny, such as {"execute": "ask"}. What the organisation denies stays denied.'
        base="/me/settings"
        name="approvals"
        fields={[{ name: "value", label: "Tools", kind: "json" }]}
      />
      <SettingForm
        title="Automatic compaction"
        about='Per model: at how many percent of its window, such as {"demo": 60}.'
        base="/me/settings"
        name="compaction_thresholds"
        fields={[{ name: "value", label: "Models", kind: "json" }]}
      />
    </>
  );
}
