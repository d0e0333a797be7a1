/** What schedules and triggers choose alike: the chat, the model, the workspace and the budget. No React. */

import type { Schedule } from "../api/types.ts";
import { saidOf } from "../settings/TemplateFields.tsx";
import type { Values } from "../settings/values.ts";

const TEMPLATE = "template:";
const WORKSPACE = "workspace:";

export const templatePlace = (name: string): string => TEMPLATE + name;
export const workspacePlace = (id: string): string => WORKSPACE + id;

type Speech = Pick<Schedule, "model" | "chat_id" | "budget_limit" | "workspace" | "workspace_id">;

/** As the form holds it: a workspace comes from a template, or is there. */
export function shownSpeech({ model, chat_id, budget_limit, workspace, workspace_id }: Speech): Values {
  return {
    ...{ model, chat_id, budget_limit },
    place: workspace ? TEMPLATE + workspace.template : workspace_id ? WORKSPACE + workspace_id : undefined,
    parameters: workspace?.parameters ?? {},
  };
}

/** A chat that is spoken into has its own workspace and budget. */
export function sentSpeech({ place, parameters, ...values }: Values): Values {
  const { chat_id = null, model = null, budget_limit = null } = values;
  const where = chat_id ? "" : String(place ?? "");
  return {
    ...values,
    chat_id,
    model,
    budget_limit: chat_id ? null : budget_limit,
    workspace: where.startsWith(TEMPLATE)
      ? { template: where.slice(TEMPLATE.length), parameters: saidOf((parameters as Values) ?? {}) }
      : null,
    workspace_id: where.startsWith(WORKSPACE) ? where.slice(WORKSPACE.length) : null,
  };
}
