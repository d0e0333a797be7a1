/** The second opinion that an agent may ask for. */

import { t } from "../language/catalogue.ts";
import { SettingsForm } from "../settings/SettingsForm.tsx";
import { EFFORTS, useModelChoices } from "./choices.ts";

export function Advisor() {
  const models = useModelChoices();
  return (
    <SettingsForm
      base="/settings"
      groups={[
        {
          title: t("Advisor"),
          about: t(
            "A second, often stronger model that the agent can consult before it decides. It sees the recent conversation and has no tools.",
          ),
          name: "advisor",
          fields: [
            { name: "enabled", label: t("Enable the advisor"), kind: "switch" },
            { name: "model", label: t("Model"), kind: "choice", options: models },
            { name: "effort", label: t("Effort"), kind: "choice", options: EFFORTS },
            {
              name: "max_output_tokens",
              label: t("Max output tokens"),
              placeholder: "16384",
              kind: "number",
            },
            {
              name: "max_uses",
              label: t("Uses per turn"),
              placeholder: "3",
              kind: "number",
              hint: t("0 means no limit."),
            },
          ],
        },
      ]}
    />
  );
}
