/** Words of the wire that people see: roles, states, efforts. */

import { t } from "./catalogue.ts";

const TERMS: Record<string, string> = {
  // Efforts.
  auto: t("auto"),
  default: t("default"),
  none: t("none"),
  minimal: t("minimal"),
  low: t("low"),
  medium: t("medium"),
  high: t("high"),
  xhigh: t("extra high"),
  max: t("max"),
  // Roles and scopes.
  owner: t("owner"),
  admin: t("admin"),
  member: t("member"),
  auditor: t("auditor"),
  read: t("read"),
  chat: t("chat"),
  // Workspaces.
  creating: t("creating"),
  running: t("running"),
  stopped: t("stopped"),
  failed: t("failed"),
  // MCP servers.
  forced_on: t("always on"),
  default_on: t("on by default"),
  default_off: t("off by default"),
  // Experiments.
  hooks: t("Hooks"),
  computer_use: t("Computer use"),
  mcp_tool_search: t("MCP tool search"),
  // What models are asked for.
  advisor: t("advisor"),
  words: t("titles and summaries"),
};

/** A word of the wire as people say it; one that is not known as it is, without its underscores. */
export function termOf(word: string): string {
  return TERMS[word] ?? word.replaceAll("_", " ");
}
