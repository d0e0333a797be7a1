/** The plain pages of the administration: a list or a form each. */

import type { Group, User } from "../api/types.ts";
import { useModels } from "../app/models.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { SettingForm } from "../settings/SettingForm.tsx";
import { money } from "../ui/format.ts";

const choices = (...values: string[]) =>
  values.map((value) => ({ value, label: value.replaceAll("_", " ") }));
const EFFORTS = [
  { value: "", label: "default" },
  ...choices("none", "minimal", "low", "medium", "high", "xhigh", "max"),
];

export function Prompts() {
  const area: FieldSpec[] = [{ name: "value", label: "Text", kind: "area" }];
  return (
    <>
      <SettingForm
        title="System prompt"
        about="Every chat of this deployment begins with it."
        base="/settings"
        name="system_prompt"
        fields={area}
      />
      <SettingForm
        title="Plan instructions"
        about="Added while a chat is in plan mode."
        base="/settings"
        name="plan_instructions"
        fields={area}
      />
    </>
  );
}

export function Advisor() {
  const models = useModelChoices();
  return (
    <SettingForm
      title="Advisor"
      about="A second, often stronger model that the agent may ask before it decides. It sees the recent conversation and has no tools."
      base="/settings"
      name="advisor"
      fields={[
        { name: "enabled", label: "On", kind: "switch" },
        { name: "model", label: "Model", kind: "choice", options: models },
        { name: "effort", label: "Effort", kind: "choice", options: EFFORTS },
        { name: "max_output_tokens", label: "Longest advice (tokens)", kind: "number" },
        { name: "max_uses", label: "Uses per turn", kind: "number", hint: "0 means no limit of its own." },
      ]}
    />
  );
}

interface McpServer {
  id: string;
  slug?: string;
  name?: string;
  url?: string;
  command?: string;
  availability?: string;
}

export function McpServers() {
  return (
    <ResourcePage<McpServer>
      title="MCP servers"
      about="Tools from elsewhere, offered to chats of this organisation."
      path="/mcp-servers"
      noun="server"
      initial={{ transport: "http", availability: "default_on", auth: "none" }}
      fields={[
        {
          name: "slug",
          label: "Short name",
          required: true,
          placeholder: "github",
          hint: "Tools are called slug__tool.",
        },
        { name: "transport", label: "Reached by", kind: "choice", options: choices("http", "sse", "stdio") },
        { name: "url", label: "Address", placeholder: "https://mcp.example.org", hint: "For http and sse." },
        { name: "command", label: "Command", hint: "For stdio: it runs inside the workspace." },
        {
          name: "auth",
          label: "Signs in with",
          kind: "choice",
          options: choices("none", "header", "api_key", "oauth"),
        },
        {
          name: "availability",
          label: "In chats",
          kind: "choice",
          options: choices("forced_on", "default_on", "default_off"),
        },
        { name: "plan_mode", label: "Allowed in plan mode", kind: "switch" },
        { name: "trusted", label: "Trusted: believe its hints about what is read-only", kind: "switch" },
      ]}
      idOf={(server) => server.id}
      row={(server) => (
        <>
          <strong>{server.name ?? server.slug}</strong>{" "}
          <span className="quiet mono">{server.url ?? server.command}</span>
        </>
      )}
    />
  );
}

interface Hook {
  id: string;
  url: string;
  events?: string[];
}

export function Hooks() {
  return (
    <ResourcePage<Hook>
      title="Hooks"
      about="Your own rules: a signed request at each of these moments, and your answer may deny, rewrite or add."
      path="/hooks"
      noun="hook"
      initial={{ events: ["pre_tool_use"] }}
      fields={[
        { name: "url", label: "Address", required: true },
        {
          name: "events",
          label: "Events",
          kind: "list",
          hint: "session_start, user_prompt_submit, pre_tool_use, post_tool_use, pre_compact, post_compact, stop",
        },
        { name: "secret", label: "Secret", kind: "password", hint: "Signs every request." },
      ]}
      idOf={(hook) => hook.id}
      row={(hook) => (
        <>
          <strong className="mono">{hook.url}</strong>
          <div className="quiet small">{hook.events?.join(", ")}</div>
        </>
      )}
    />
  );
}

interface Template {
  name: string;
  description?: string;
  driver?: string;
}

export function Templates() {
  return (
    <ResourcePage<Template>
      title="Templates"
      about="Recipes for workspaces: what is in them, what they may reach."
      path="/templates"
      noun="template"
      initial={{ driver: "local", network: "none" }}
      fields={[
        { name: "name", label: "Name", required: true },
        { name: "description", label: "Description" },
        { name: "driver", label: "Driver", kind: "choice", options: choices("local", "docker", "ssh") },
        { name: "network", label: "Network", kind: "choice", options: choices("none", "host") },
        { name: "repository", label: "Repository to clone" },
        { name: "startup_script", label: "Start-up script", kind: "area" },
      ]}
      idOf={(template) => template.name}
      row={(template) => (
        <>
          <strong>{template.name}</strong> <span className="pill">{template.driver ?? "local"}</span>
          <div className="quiet small">{template.description}</div>
        </>
      )}
    />
  );
}

export function People() {
  return (
    <>
      <ResourcePage<User>
        title="Users"
        about="Owners run the deployment, admins the organisation, members work, auditors look."
        path="/users"
        noun="user"
        initial={{ role: "member" }}
        fields={[
          { name: "email", label: "Email", required: true, only: "create" },
          { name: "name", label: "Name" },
          { name: "disabled", label: "Locked out", kind: "switch", only: "change" },
          {
            name: "role",
            label: "Role",
            kind: "choice",
            options: choices("member", "auditor", "admin", "owner"),
          },
          {
            name: "password",
            label: "Password",
            kind: "password",
            hint: "Empty: they sign in by link or single sign-on.",
          },
        ]}
        idOf={(person) => person.id}
        row={(person) => (
          <>
            <strong>{person.name || person.email}</strong> <span className="pill">{person.role}</span>{" "}
            {person.disabled && <span className="pill pill-bad">locked out</span>}
            <div className="quiet small">{person.email}</div>
          </>
        )}
      />
      <ResourcePage<Group>
        title="Groups"
        about="Chats can be shared with a whole group."
        path="/groups"
        noun="group"
        initial={{}}
        fields={[{ name: "name", label: "Name", required: true }]}
        idOf={(group) => group.id}
        row={(group) => <strong>{group.name}</strong>}
      />
    </>
  );
}

export function Budgets() {
  return (
    <SettingForm
      title="Budgets"
      about={`What may be spent in a calendar month. Empty means no limit; ${money(25_000_000)} is written as 25.`}
      base="/settings"
      name="budgets"
      fields={[
        { name: "user", label: "Each person ($ a month)", kind: "dollars" },
        { name: "organisation", label: "The organisation ($ a month)", kind: "dollars" },
      ]}
    />
  );
}

function useModelChoices() {
  return [
    { value: "", label: "The default" },
    ...useModels().map(({ name, display_name }) => ({ value: name, label: display_name })),
  ];
}

export function Policies() {
  const models = useModelChoices();
  return (
    <>
      <SettingForm
        title="Models for chores"
        about="A cheap model for titles and labels. Empty: the default."
        base="/settings"
        name="title_model"
        fields={[{ name: "value", label: "Model for titles", kind: "choice", options: models }]}
      />
      <SettingForm
        title="Summaries"
        base="/settings"
        name="compaction_model"
        fields={[{ name: "value", label: "Model for summaries", kind: "choice", options: models }]}
      />
      <SettingForm
        title="Sub-agents"
        base="/settings"
        name="subagents"
        fields={[
          { name: "depth", label: "Depth", kind: "number" },
          { name: "general_model", label: "Model of general agents", kind: "choice", options: models },
          { name: "explore_model", label: "Model of exploring agents", kind: "choice", options: models },
        ]}
      />
      <SettingForm
        title="Approvals"
        about="Per tool: auto, ask or deny."
        base="/settings"
        name="approvals"
        fields={[{ name: "value", label: "Tools", kind: "json" }]}
      />
      <SettingForm
        title="Retention"
        base="/settings"
        name="retention"
        fields={[{ name: "archived_days", label: "Keep archived chats (days)", kind: "number" }]}
      />
      <SettingForm
        title="Auto-archive"
        base="/settings"
        name="auto_archive"
        fields={[
          { name: "idle_days", label: "Archive after idle days", kind: "number", hint: "0 switches it off." },
        ]}
      />
      <SettingForm
        title="Experiments"
        about="Features that are off until named: advisor, hooks, computer_use, mcp_tool_search."
        base="/settings"
        name="experiments"
        fields={[{ name: "value", label: "On", kind: "list" }]}
      />
    </>
  );
}
