/** What every chat of the deployment is told. */

import type { FieldSpec } from "../settings/form.tsx";
import { SettingsForm } from "../settings/SettingsForm.tsx";

const AREA: FieldSpec[] = [{ name: "value", label: "Text", kind: "area" }];

export function Prompts() {
  return (
    <SettingsForm
      base="/settings"
      groups={[
        {
          title: "System prompt",
          about: "Added to the start of every chat of this deployment.",
          name: "system_prompt",
          fields: AREA,
        },
        {
          title: "Plan instructions",
          about: "Added while a chat is in plan mode.",
          name: "plan_instructions",
          fields: AREA,
        },
      ]}
    />
  );
}
