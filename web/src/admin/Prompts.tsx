/** What every chat of the deployment is told. */

import { t } from "../language/catalogue.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { SettingsForm } from "../settings/SettingsForm.tsx";

const AREA: FieldSpec[] = [{ name: "value", label: t("Text"), kind: "area" }];

export function Prompts() {
  return (
    <SettingsForm
      base="/settings"
      groups={[
        {
          title: t("System prompt"),
          about: t("Added to the start of every chat of this deployment."),
          name: "system_prompt",
          fields: AREA,
        },
        {
          title: t("Plan instructions"),
          about: t("Added while a chat is in plan mode."),
          name: "plan_instructions",
          fields: AREA,
        },
      ]}
    />
  );
}
