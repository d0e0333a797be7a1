/** The conditions of a trigger as lines of text: `body.action is opened | reopened`. No React. */

import type { Condition } from "../api/types.ts";

const LINE = /^(\S+)\s+(is_not|is|contains|starts_with|exists)\b\s*(.*)$/;

export function conditionsText(conditions: readonly Condition[] = []): string {
  return conditions
    .map(({ path, test, values }) => [path, test ?? "is", (values ?? []).join(" | ")].join(" ").trim())
    .join("\n");
}

/** A line that means nothing goes to the server as it is, which says so. */
export function conditionsIn(text: string): Condition[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, path = line, test = "is", rest = ""] = LINE.exec(line) ?? [];
      const values = rest.split("|").map((value) => value.trim());
      return { path, test: test as Condition["test"], values: values.filter(Boolean) };
    });
}
