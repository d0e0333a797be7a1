/** Entries of the audit log in words. No React. */

import type { AuditEntry } from "../api/types.ts";
import { t } from "../language/catalogue.ts";

const KINDS: Record<string, string> = {
  chat: t("Chats"),
  user: t("Users"),
  group: t("Groups"),
  token: t("Tokens"),
  provider: t("Providers"),
  key: t("Keys"),
  model: t("Models"),
  mcp_server: t("MCP servers"),
  hook: t("Hooks"),
  template: t("Templates"),
  login_service: t("Login services"),
  setting: t("Settings"),
};

/** What the log can be filtered by. */
export const ACTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

const VERBS: Record<string, string> = {
  add: t("added"),
  change: t("changed"),
  delete: t("removed"),
  remove: t("removed"),
  put: t("set"),
  choose: t("made default"),
  share: t("shared"),
  link: t("shared by link"),
  unlink: t("link revoked"),
  stop: t("stopped"),
  sign_in_link: t("sign-in link created"),
};

const NOUNS: Record<string, string> = {
  chat: t("chat"),
  user: t("user"),
  group: t("group"),
  token: t("token"),
  provider: t("provider"),
  key: t("key"),
  model: t("model"),
  mcp_server: t("MCP server"),
  hook: t("hook"),
  template: t("template"),
  login_service: t("login service"),
  setting: t("setting"),
};

/** "user.add" as "User added". */
export function actionWords(action: string): string {
  const [kind = "", verb = ""] = action.split(".");
  const noun = NOUNS[kind] ?? kind.replaceAll("_", " ");
  const words = t("{noun} {verb}", { noun, verb: VERBS[verb] ?? verb.replaceAll("_", " ") }).trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** What it is called: now, or as it was called when it was done, or the beginning of its id. */
export function subjectWords({ subject, subject_name, detail }: AuditEntry): string {
  const told = detail as Record<string, unknown>;
  const then = [told.title, told.email, told.name, told.slug].find(
    (each) => typeof each === "string" && each,
  );
  const named = subject_name || then || subject;
  return ID.test(String(named)) ? `#${subject.slice(0, 8)}` : String(named).replaceAll("_", " ");
}

/** What else was said, where it is short: names and switches, no ids. */
export function detailWords({ detail }: AuditEntry): string {
  return Object.entries(detail as Record<string, unknown>)
    .filter(([name]) => !["title", "email", "name", "slug"].includes(name))
    .map(([name, value]) => [name.replaceAll("_", " "), plain(value)])
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

function plain(value: unknown): string {
  if (Array.isArray(value)) {
    const words = value.filter((each) => !ID.test(String(each)));
    return words.length < value.length ? String(value.length) : words.join(" ");
  }
  if (value === null || value === undefined || typeof value === "object" || ID.test(String(value))) return "";
  return String(value);
}
