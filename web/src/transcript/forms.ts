/** Forms as calls describe them: flat JSON schemas, and what somebody types into them. */

interface Choice {
  const?: string;
  title?: string;
}

interface Schema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  enumNames?: string[];
  oneOf?: Choice[];
  anyOf?: Choice[];
  items?: Schema;
}

export interface Form {
  properties?: Record<string, Schema>;
  required?: string[];
}

export type Typed = Record<string, string | boolean | readonly string[] | undefined>;

export interface Property {
  name: string;
  label: string;
  hint: string | undefined;
  required: boolean;
  kind: "text" | "number" | "boolean" | "one" | "several";
  choices: { value: string; label: string }[];
}

function choicesOf(schema: Schema): { value: string; label: string }[] {
  const titled = schema.oneOf ?? schema.anyOf;
  if (titled)
    return titled.map((each) => ({ value: each.const ?? "", label: each.title ?? each.const ?? "" }));
  return (schema.enum ?? []).map((value, at) => ({ value, label: schema.enumNames?.[at] ?? value }));
}

function kindOf(schema: Schema): Property["kind"] {
  if (schema.type === "array") return "several";
  if (schema.type === "boolean") return "boolean";
  if (choicesOf(schema).length > 0) return "one";
  return schema.type === "number" || schema.type === "integer" ? "number" : "text";
}

/** The fields in their order. */
export function fieldsOf(form: Form): Property[] {
  return Object.entries(form.properties ?? {}).map(([name, schema]) => ({
    name,
    label: schema.title ?? name,
    hint: schema.description,
    required: form.required?.includes(name) ?? false,
    kind: kindOf(schema),
    choices: choicesOf(schema.type === "array" ? (schema.items ?? {}) : schema),
  }));
}

/** What the form proposes. */
export function typedAtFirst(form: Form): Typed {
  const proposed = Object.entries(form.properties ?? {}).filter(([, schema]) => schema.default != null);
  return Object.fromEntries(
    proposed.map(([name, { default: value }]) => [
      name,
      typeof value === "boolean" || Array.isArray(value) ? (value as boolean | string[]) : String(value),
    ]),
  );
}

/** The answer: fields that were left blank are left out, but for switches. */
export function contentOf(form: Form, typed: Typed): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const { name, kind, required } of fieldsOf(form)) {
    const value = typed[name];
    if (kind === "boolean") content[name] = value === true;
    else if (kind === "several") {
      if (Array.isArray(value) && (value.length > 0 || required)) content[name] = value;
    } else if (typeof value === "string" && value !== "")
      content[name] = kind === "number" ? Number(value) : value;
  }
  return content;
}
