/** Tools from elsewhere, as an administrator sets them up. */

import { Blocks } from "lucide-react";
import type { McpServer } from "../api/types.ts";
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
    label: "Slug",
    required: true,
    placeholder: "github",
    hint: "Prefix of its tools, such as github__search. Cannot be changed later.",
    only: "create",
  },
  { name: "name", label: "Name", placeholder: "GitHub" },
  { name: "transport", label: "Transport", kind: "choice", options: choices("http", "sse", "stdio") },
  { name: "url", label: "Address", placeholder: "https://mcp.example.org", when: remote },
  {
    name: "command",
    label: "Command",
    hint: "Runs inside the chat's workspace.",
    when: (values) => !remote(values),
  },
  {
    name: "environment",
    label: "Environment",
    kind: "pairs",
    hint: "NAME=value, one per line. Stored encrypted and never shown again.",
    when: (values) => !remote(values),
  },
  {
    name: "auth",
    label: "Authentication",
    kind: "choice",
    options: [
      { value: "none", label: "None" },
      { value: "api_key", label: "Bearer token" },
      { value: "header", label: "Custom header" },
      { value: "oauth", label: "OAuth, per user" },
    ],
    when: remote,
  },
  { name: "header", label: "Header", when: signsIn("header") },
  {
    name: "secret",
    label: "Secret",
    kind: "password",
    hint: "Stored encrypted and never shown again. Leave empty to keep the current one.",
    when: carriesSecret,
  },
  {
    name: "scope",
    label: "OAuth scope",
    hint: "Only if the server does not advertise it.",
    when: signsIn("oauth"),
  },
  {
    name: "client_id",
    label: "OAuth client",
    hint: "Leave empty for dynamic client registration.",
    when: signsIn("oauth"),
  },
  { name: "client_secret", label: "OAuth client secret", kind: "password", when: signsIn("oauth") },
  {
    name: "availability",
    label: "Availability",
    kind: "choice",
    options: [
      { value: "forced_on", label: "Always on" },
      { value: "default_on", label: "On by default" },
      { value: "default_off", label: "Off by default" },
    ],
  },
  { name: "allow", label: "Allowed tools", kind: "list", none: null, hint: "Leave empty for all." },
  { name: "deny", label: "Blocked tools", kind: "list" },
  { name: "plan_mode", label: "Available in plan mode", kind: "switch" },
  { name: "trusted", label: "Trust its annotations about which tools are safe to retry", kind: "switch" },
  { name: "enabled", label: "On", kind: "switch" },
];

export function McpServers() {
  return (
    <ResourcePage<McpServer>
      title="MCP servers"
      about="External tools for the chats of this organisation."
      path="/mcp-servers"
      noun="server"
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
        title: "No MCP servers yet",
        words:
          "An MCP server gives agents more tools: your issues, your documents, your systems. You need its address, and a token if it wants one.",
      }}
      idOf={(server) => server.id}
      row={(server) => (
        <>
          <strong>{server.name || server.slug}</strong>{" "}
          <span className={`pill ${server.enabled ? "" : "pill-warn"}`}>
            {server.enabled ? server.availability.replaceAll("_", " ") : "off"}
          </span>
          <div className="quiet small mono truncate">{server.url ?? server.command}</div>
          {server.trouble && <div className="field-error">{server.trouble}</div>}
        </>
      )}
      more={(server) => <McpTest server={server} />}
    />
  );
}
