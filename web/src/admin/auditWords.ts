/** Entries of the audit log in words. No React. */

import type { AuditEntry } from "../api/types.ts";

const KINDS: Record<string, string> = {
  chat: "Chats",
  user: "Users",
  group: "Groups",
  token: "Tokens",
  provider: "Providers",
  key: "Keys",
  model: "Models",
  mcp_server: "MCP servers",
  hook: "Hooks",
  template: "Templates",
  login_service: "Login services",
  setting: "Settings",
};

/** What the log can be filtered by. */
export const ACTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

const VERBS: Record<string, string> = {
  add: "added",
  change: "changed",
  delete: "removed",
  remove: "removed",
  put: "set",
  choose: "made default",
  share: "shared",
  link: "shared by link",
  unlink: "link taken back",
  stop: "stopped",
  sign_in_link: "sign-in link made",
};

/** "user.add" as "User added". */
export function actionWords(action: string): string {
  const [kind = "", verb = ""] = action.split(".");
  const noun = kind === "mcp_server" ? "MCP server" : kind.replaceAll("_", " ");
  const words = `${noun} ${VERBS[verb] ?? verb.replaceAll("_", " ")}`.trim();
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
