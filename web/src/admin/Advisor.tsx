/** The second opinion that an agent may ask for. */

import { SettingsForm } from "../settings/SettingsForm.tsx";
import { EFFORTS, useModelChoices } from "./choices.ts";

export function Advisor() {
  const models = useModelChoices();
  return (
    <SettingsForm
      base="/settings"
      groups={[
        {
          title: "Advisor",
          about:
            "A second, often stronger model that the agent can consult before it decides. It sees the recent conversation and has no tools.",
          name: "advisor",
          fields: [
            { name: "enabled", label: "Enable the advisor", kind: "switch" },
            { name: "model", label: "Model", kind: "choice", options: models },
            { name: "effort", label: "Effort", kind: "choice", options: EFFORTS },
            { name: "max_output_tokens", label: "Max output tokens", placeholder: "16384", kind: "number" },
            {
              name: "max_uses",
              label: "Uses per turn",
              placeholder: "3",
              kind: "number",
              hint: "0 means no limit.",
            },
          ],
        },
      ]}
    />
  );
}
