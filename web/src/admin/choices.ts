/** Lists that several forms choose from. */

import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { useModels } from "../page/models.ts";

export interface Choice {
  value: string;
  label: string;
}

export const choices = (...values: string[]): Choice[] =>
  values.map((value) => ({ value, label: termOf(value) }));

export const EFFORTS: Choice[] = [
  { value: "", label: t("Default") },
  ...choices("none", "minimal", "low", "medium", "high", "xhigh", "max"),
];

export function useModelChoices(): Choice[] {
  return [
    { value: "", label: t("Default") },
    ...useModels().map(({ name, display_name }) => ({ value: name, label: display_name })),
  ];
}
