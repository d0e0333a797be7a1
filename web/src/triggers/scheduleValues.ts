/** What the form of a schedule holds, and what the server takes and gives. No React. */

import type { Schedule } from "../api/types.ts";
import { saidOf } from "../settings/TemplateFields.tsx";
import type { Values } from "../settings/values.ts";

const TEMPLATE = "template:";
const WORKSPACE = "workspace:";

export const templatePlace = (name: string): string => TEMPLATE + name;
export const workspacePlace = (id: string): string => WORKSPACE + id;

/** A new schedule: each morning, by the clock of whoever makes it. */
export function newSchedule(): Values {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { rule: "0 9 * * 1-5", zone, missed: "once", most_missed: 10, overlap: "queue" };
}

export function shownIn(schedule: Schedule): Values {
  const { name, rule, zone, prompt, model, chat_id, budget_limit, missed, most_missed, overlap } = schedule;
  const { workspace, workspace_id } = schedule;
  return {
    ...{ name, rule, zone, prompt, model, chat_id, budget_limit, missed, most_missed, overlap },
    place: workspace ? TEMPLATE + workspace.template : workspace_id ? WORKSPACE + workspace_id : undefined,
    parameters: workspace?.parameters ?? {},
  };
}

/** A chat that is spoken into has its own workspace and budget; a workspace comes from a template, or is there. */
export function sentOf({ place, parameters, ...values }: Values): Values {
  const { chat_id = null, model = null, budget_limit = null } = values;
  const where = chat_id ? "" : String(place ?? "");
  return {
    ...values,
    chat_id,
    model,
    budget_limit: chat_id ? null : budget_limit,
    overlap: chat_id && values.overlap === "parallel" ? "queue" : values.overlap,
    workspace: where.startsWith(TEMPLATE)
      ? { template: where.slice(TEMPLATE.length), parameters: saidOf((parameters as Values) ?? {}) }
      : null,
    workspace_id: where.startsWith(WORKSPACE) ? where.slice(WORKSPACE.length) : null,
  };
}

/** Every zone that the browser knows, and the one that is chosen already. */
export function zonesWith(zone: string): string[] {
  return [...new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")])].sort();
}
