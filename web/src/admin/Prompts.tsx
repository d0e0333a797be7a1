/** What every chat of the deployment is told. */

import type { FieldSpec } from "../settings/form.tsx";
import { SettingForm } from "../settings/SettingForm.tsx";

export function Prompts() {
  const area: FieldSpec[] = [{ name: "value", label: "Text", kind: "area" }];
  return (
    <>
      <SettingForm
        title="System prompt"
        about="Added to the start of every chat of this deployment."
        base="/settings"
        name="system_prompt"
        fields={area}
      />
      <SettingForm
        title="Plan instructions"
        about="Added while a chat is in plan mode."
        base="/settings"
        name="plan_instructions"
        fields={area}
      />
    </>
  );
}
