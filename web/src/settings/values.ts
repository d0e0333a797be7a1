/** What a form holds, and how what people type becomes what the server takes. No React. */

import type { FieldSpec } from "./fields.tsx";

export type Values = Record<string, unknown>;

/** Dots reach into objects. */
export function read(values: Values, name: string): unknown {
  return name.split(".").reduce<unknown>((value, key) => (value as Values | undefined)?.[key], values);
}

export function written(values: Values, name: string, value: unknown): Values {
  const [first = "", ...rest] = name.split(".");
  if (rest.length === 0) return { ...values, [first]: value };
  return { ...values, [first]: written((values[first] as Values) ?? {}, rest.join("."), value) };
}

/** A password left empty means none was given; a list ends where its last comma does. */
export function cleaned(values: Values, field: FieldSpec): Values {
  const value = read(values, field.name);
  if (field.kind === "list" && Array.isArray(value)) {
    const list = value.filter(Boolean);
    return written(values, field.name, list.length === 0 && field.none !== undefined ? field.none : list);
  }
  return field.kind === "password" && !value ? written(values, field.name, undefined) : values;
}

/** `NAME=value`, one to a line. Nothing typed is nothing said. */
export function pairsIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

export function pairsText(value: unknown): string {
  return Object.entries((value as Record<string, string> | undefined) ?? {})
    .map(([name, each]) => `${name}=${each}`)
    .join("\n");
}

/** Whether two values say the same: what is empty is not said. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(said(one)) === JSON.stringify(said(other));
}

function said(value: unknown): unknown {
  if (value === null || value === undefined || value === "") return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, said((value as Values)[name])]));
}

/** Without what was left empty: the server fills that in itself. */
export function tidy(values: Values): Values {
  const kept = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      typeof value === "object" && !Array.isArray(value) ? tidy(value as Values) : value,
    ]),
  );
}
