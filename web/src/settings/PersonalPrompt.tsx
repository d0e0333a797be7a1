import { SettingForm } from "./SettingForm.tsx";

export function PersonalPrompt() {
  return (
    <SettingForm
      title="Your instructions"
      about="Every chat of yours begins with them: how you like answers, what to avoid, who you are."
      base="/me/settings"
      name="prompt"
      fields={[{ name: "value", label: "Instructions", kind: "area" }]}
    />
  );
}
