/** Tools from elsewhere, as an administrator sets them up. */

import { Blocks } from "lucide-react";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import type { FieldSpec, Values } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { choices } from "./choices.ts";
import { McpTest } from "./McpTest.tsx";

const remote = (values: Values) => values.transport !== "stdio";
const signsIn = (auth: string) => (values: Values) => remote(values) && values.auth === auth;
const carriesSecret = (values: Values) => signsIn("header")(values) || signsIn("api_key")(values);

const FIELDS: FieldSpec[] = [
  {
    name: "slug",
    label: t("Slug"),
    required: true,
    placeholder: "github",
    hint: t("Prefix of its tool names, such as github__search. Cannot be changed later."),
    only: "create",
  },
  { name: "name", label: t("Name"), placeholder: "GitHub" },
  { name: "transport", label: t("Transport"), kind: "choice", options: choices("http", "sse", "stdio") },
  { name: "url", label: t("URL"), placeholder: "https://mcp.example.org", when: remote },
  {
    name: "command",
    label: t("Command"),
    hint: t("Runs inside the chat's workspace."),
    when: (values) => !remote(values),
  },
  {
    name: "environment",
    label: t("Environment"),
    kind: "pairs",
    hint: t("NAME=value, one per line. Stored encrypted and never shown again."),
    when: (values) => !remote(values),
  },
  {
    name: "auth",
    label: t("Authentication"),
    kind: "choice",
    options: [
      { value: "none", label: t("None") },
      { value: "api_key", label: t("Bearer token") },
      { value: "header", label: t("Custom header") },
      { value: "oauth", label: t("OAuth, per user") },
    ],
    when: remote,
  },
  { name: "header", label: t("Header"), when: signsIn("header") },
  {
    name: "secret",
    label: t("Secret"),
    kind: "password",
    hint: t("Stored encrypted and never shown again. Leave empty to keep the current one."),
    when: carriesSecret,
  },
  {
    name: "scope",
    label: t("OAuth scope"),
    hint: t("Only if the server does not advertise it."),
    when: signsIn("oauth"),
  },
  {
    name: "client_id",
    label: t("OAuth client"),
    hint: t("Leave empty for dynamic client registration."),
    when: signsIn("oauth"),
  },
  { name: "client_secret", label: t("OAuth client secret"), kind: "password", when: signsIn("oauth") },
  {
    name: "availability",
    label: t("Availability"),
    kind: "choice",
    options: [
      { value: "forced_on", label: t("Always on") },
      { value: "default_on", label: t("On by default") },
      { value: "default_off", label: t("Off by default") },
    ],
  },
  { name: "allow", label: t("Allowed tools"), kind: "list", none: null, hint: t("Leave empty for all.") },
  { name: "deny", label: t("Blocked tools"), kind: "list" },
  { name: "plan_mode", label: t("Available in plan mode"), kind: "switch" },
  {
    name: "trusted",
    label: t("Trust its annotations about which tools are safe to retry, and what its forms propose"),
    kind: "switch",
  },
  { name: "enabled", label: t("On"), kind: "switch" },
];

export function McpServers() {
  return (
    <ResourcePage
      title={t("MCP servers")}
      about={t("External tools for the chats of this organization.")}
      path="/mcp-servers"
      noun={t("server")}
      initial={{
        transport: "http",
        availability: "default_on",
        auth: "none",
        header: "Authorization",
        enabled: true,
      }}
      fields={FIELDS}
      nothing={{
        icon: Blocks,
        title: t("No MCP servers yet"),
        words: t(
          "An MCP server gives agents more tools: your issues, your documents, your systems. You need its URL, and a token if it requires one.",
        ),
      }}
      idOf={(server) => server.id}
      row={(server) => (
        <>
          <strong>{server.name || server.slug}</strong>{" "}
          <span className={`pill ${server.enabled ? "" : "pill-warn"}`}>
            {server.enabled ? termOf(server.availability) : t("off")}
          </span>
          <div className="quiet small mono truncate">{server.url ?? server.command}</div>
          {server.trouble && <div className="field-error">{server.trouble}</div>}
        </>
      )}
      more={(server) => <McpTest server={server} />}
    />
  );
}
