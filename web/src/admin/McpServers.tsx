/** Tools from elsewhere, as an administrator sets them up. */

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
    label: "Short name",
    required: true,
    placeholder: "github",
    hint: "Its tools are called github__search and so on. It never changes.",
    only: "create",
  },
  { name: "name", label: "Name", placeholder: "GitHub" },
  { name: "transport", label: "Reached by", kind: "choice", options: choices("http", "sse", "stdio") },
  { name: "url", label: "Address", placeholder: "https://mcp.example.org", when: remote },
  {
    name: "command",
    label: "Command",
    hint: "It runs inside the chat's workspace.",
    when: (values) => !remote(values),
  },
  {
    name: "environment",
    label: "Environment",
    kind: "pairs",
    hint: "NAME=value, one to a line. Encrypted; never shown again.",
    when: (values) => !remote(values),
  },
  {
    name: "auth",
    label: "Signs in with",
    kind: "choice",
    options: [
      { value: "none", label: "nothing" },
      { value: "api_key", label: "a bearer token" },
      { value: "header", label: "a header of its own" },
      { value: "oauth", label: "OAuth: everybody for themselves" },
    ],
    when: remote,
  },
  { name: "header", label: "Header", when: signsIn("header") },
  {
    name: "secret",
    label: "Secret",
    kind: "password",
    hint: "Encrypted; never shown again. Empty keeps the one that is set.",
    when: carriesSecret,
  },
  { name: "scope", label: "OAuth scope", hint: "Where the server does not say.", when: signsIn("oauth") },
  {
    name: "client_id",
    label: "OAuth client",
    hint: "Empty: the client registers itself.",
    when: signsIn("oauth"),
  },
  { name: "client_secret", label: "OAuth client secret", kind: "password", when: signsIn("oauth") },
  {
    name: "availability",
    label: "In chats",
    kind: "choice",
    options: [
      { value: "forced_on", label: "always on" },
      { value: "default_on", label: "on, until somebody turns it off" },
      { value: "default_off", label: "off, until somebody turns it on" },
    ],
  },
  { name: "allow", label: "Only these tools", kind: "list", none: null, hint: "Empty: all of them." },
  { name: "deny", label: "Never these tools", kind: "list" },
  { name: "plan_mode", label: "May be used while planning", kind: "switch" },
  { name: "trusted", label: "Trust its word on which tools are safe to repeat", kind: "switch" },
  { name: "enabled", label: "On", kind: "switch" },
];

export function McpServers() {
  return (
    <ResourcePage<McpServer>
      title="MCP servers"
      about="Tools from elsewhere, offered to the chats of this organisation."
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
