import type { Template, TemplateParameter } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type FieldSpec, SpecField } from "./fields.tsx";
import type { Values } from "./values.ts";

interface Props {
  template: Template;
  values: Values;
  onValues: (values: Values) => void;
}

/** What a template wants to know before a workspace is made from it. */
export function TemplateFields({ template, values, onValues }: Props) {
  if (template.parameters.length === 0) return null;
  return (
    <fieldset className="card template-fields">
      <legend className="quiet small">{t("{name} workspace", { name: template.name })}</legend>
      {template.parameters.map((parameter) => (
        <SpecField
          key={parameter.name}
          field={fieldOf(parameter)}
          value={values[parameter.name]}
          onChange={(value) => onValues({ ...values, [parameter.name]: value })}
        />
      ))}
    </fieldset>
  );
}

const KINDS = { text: "text", integer: "number", boolean: "switch" } as const;

export function fieldOf(parameter: TemplateParameter): FieldSpec {
  const choices = parameter.choices ?? [];
  return {
    name: parameter.name,
    label: parameter.name.replaceAll("_", " "),
    hint: parameter.description,
    required: parameter.required,
    usual: parameter.default,
    kind: choices.length > 0 ? "choice" : KINDS[parameter.type ?? "text"],
    options: choices.map((value) => ({ value, label: value })),
  };
}

/** What was said, without what was left empty: the template's own defaults stand for that. */
export function saidOf(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ""),
  );
}
