/** Lists that several forms choose from. */

import { useModels } from "../app/models.ts";

export interface Choice {
  value: string;
  label: string;
}

export const choices = (...values: string[]): Choice[] =>
  values.map((value) => ({ value, label: value.replaceAll("_", " ") }));

export const EFFORTS: Choice[] = [
  { value: "", label: "default" },
  ...choices("none", "minimal", "low", "medium", "high", "xhigh", "max"),
];

export function useModelChoices(): Choice[] {
  return [
    { value: "", label: "The default" },
    ...useModels().map(({ name, display_name }) => ({ value: name, label: display_name })),
  ];
}
