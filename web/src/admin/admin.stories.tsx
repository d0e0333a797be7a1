/** What administrators keep: as it is, while there is nothing, and where something is wrong. */

import { expect } from "vitest";
import type {
  AuditEntry,
  Budgets,
  Group,
  LoginService,
  McpServer,
  McpTried,
  ModelSetting,
  Provider,
  Template,
  User,
} from "../api/types.ts";
import { at } from "../stories/fixtures.ts";
import { NONE, placed, pressed } from "../stories/place.tsx";

export default { title: "Admin" };

const PROVIDER: Provider = {
  id: "p1",
  name: "Anthropic",
  dialect: "anthropic_messages",
  base_url: "https://api.anthropic.com",
  has_key: true,
  enabled: true,
};
const MODELS: ModelSetting[] = [
  {
    name: "sonnet",
    display_name: "Claude Sonnet",
    provider_id: "p1",
    model: "claude-sonnet-5",
    default: true,
    options: { context_window: 200_000, price: { input: 3_000_000, output: 15_000_000 } },
  },
  { name: "haiku", provider_id: "p1", model: "claude-haiku-5", enabled: false },
];
const modelAnswers = { "GET /model-settings": { items: MODELS }, "GET /providers": { items: [PROVIDER] } };

export const Models = placed("/admin/models", modelAnswers);
export const ModelEdited = placed("/admin/models", modelAnswers, async ({ root, user, asked }) => {
  await expect.poll(() => root.querySelector(".row-open")).toBeTruthy();
  await user.click(root.querySelector(".row-open") as HTMLElement);
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Claude Sonnet");
  await pressed(root, "Save");
  await expect.poll(() => asked.map((entry) => entry.what)).toContain("PATCH /model-settings/sonnet");
});
export const NoModels = placed("/admin/models", { "GET /model-settings": NONE, "GET /providers": NONE });
export const ModelAdded = placed(
  "/admin/providers",
  {
    ...modelAnswers,
    "GET /catalog": {
      items: [{ id: "claude-opus-5", dialect: "anthropic_messages", context_window: 200_000 }],
    },
    "GET /providers/p1/models": { items: ["claude-opus-5", "claude-next"] },
    "GET /providers/p1/keys": NONE,
  },
  async ({ root }) => {
    await pressed(root, "Model");
    await expect.poll(() => root.querySelector(".catalog .option")).toBeTruthy();
  },
);
export const NoProviders = placed("/admin/providers", {
  "GET /providers": NONE,
  "GET /model-settings": NONE,
});

const USERS: User[] = [
  { id: "me", email: "ada@example.org", name: "Ada", role: "owner", disabled: false, created_at: at(0) },
  {
    id: "u2",
    email: "grace@example.org",
    name: "Grace Hopper",
    role: "member",
    disabled: true,
    created_at: at(0),
  },
];
const GROUPS: Group[] = [{ id: "g1", name: "Compilers", members: ["u2"], created_at: at(0) }];
const SERVICES: LoginService[] = [
  {
    slug: "sso",
    name: "Example SSO",
    issuer: "https://login.example.com",
    client_id: "perdure",
    has_secret: true,
    enabled: false,
    redirect_uri: "https://perdure.example.com/api/v1/oidc/sso/callback",
    options: { domains: ["example.com"] },
  },
];
const peopleAnswers = {
  "GET /users": { items: USERS },
  "GET /groups": { items: GROUPS },
  "GET /login-services": { items: SERVICES },
};
export const People = placed("/admin/users", peopleAnswers);
export const PeopleAlone = placed("/admin/users", {
  "GET /users": { items: USERS.slice(0, 1) },
  "GET /groups": NONE,
  "GET /login-services": NONE,
});
export const LoginServiceEdited = placed("/admin/users", peopleAnswers, async ({ root, asked }) => {
  await pressed(root, "Edit login service");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Allowed email domains");
  await pressed(root, "Save");
  await expect.poll(() => asked.map((entry) => entry.what)).toContain("PUT /login-services/sso");
});

const SERVER: McpServer = {
  id: "m1",
  slug: "notes",
  name: "Team notes",
  transport: "http",
  url: "https://notes.example.com/mcp",
  auth: "api_key",
  availability: "default_on",
  has_secret: true,
  enabled: true,
  plan_mode: false,
  trusted: true,
};
const TRIED: McpTried = {
  ok: true,
  message: "",
  latency_ms: 84,
  tools: [{ name: "find", full_name: "notes__find", description: "Finds a note." }],
};
export const McpServers = placed("/admin/mcp", {
  "GET /mcp-servers": {
    items: [
      SERVER,
      { ...SERVER, id: "m2", slug: "files", name: "Files", trusted: false, trouble: "Nobody answers there." },
    ],
  },
});
export const NoMcpServers = placed("/admin/mcp", { "GET /mcp-servers": NONE });
export const McpAnswers = placed(
  "/admin/mcp",
  { "GET /mcp-servers": { items: [SERVER] }, "POST /mcp-servers/m1/test": TRIED },
  async ({ root }) => {
    await pressed(root, "Test");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("notes__find");
  },
);
export const McpRefuses = placed(
  "/admin/mcp",
  {
    "GET /mcp-servers": { items: [SERVER] },
    "POST /mcp-servers/m1/test": {
      ok: false,
      message: "It refused the secret.",
      latency_ms: 12,
    } satisfies McpTried,
  },
  async ({ root }) => {
    await pressed(root, "Test");
    await expect
      .poll(() => root.querySelector("dialog [role=alert]")?.textContent)
      .toBe("It refused the secret.");
  },
);

const HOOK = {
  id: "h1",
  name: "Guard",
  url: "https://hooks.example.com/guard",
  events: ["pre_tool_use"],
  enabled: true,
  created_at: at(0),
};
export const Hooks = placed(
  "/admin/hooks",
  {
    "GET /hooks": { items: [HOOK] },
    "GET /hooks/h1/deliveries": {
      items: [
        {
          id: 1,
          dispatch_id: "d1",
          event: "pre_tool_use",
          outcome: "failed",
          attempts: 3,
          duration_ms: 4_100,
          created_at: at(0),
          detail: "Nobody answers there.",
        },
      ],
    },
  },
  async ({ root }) => {
    await pressed(root, "Log");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("3 attempts");
  },
);
export const NoHooks = placed("/admin/hooks", { "GET /hooks": NONE });

const TEMPLATE: Template = {
  name: "greeter",
  description: "Greets.",
  driver: "local",
  network: "none",
  parameters: [],
  readme: "# Greeter",
  shipped: false,
};
export const Templates = placed("/admin/templates", {
  "GET /templates": {
    items: [TEMPLATE, { ...TEMPLATE, name: "blank", description: "Empty.", shipped: true }],
  },
});
export const NoTemplates = placed("/admin/templates", { "GET /templates": NONE });

const BUDGETS: Budgets = {
  month: "2026-06-01",
  user: { limit: 20_000_000, spent: 3_200_000, reserved: 0 },
  organisation: { limit: 100_000_000, spent: 41_300_000, reserved: 1_200_000 },
  people: [
    { user_id: "me", email: "ada@example.org", limit: 20_000_000, spent: 3_200_000, reserved: 0 },
    { user_id: "u2", email: "grace@example.org", limit: null, spent: 38_100_000, reserved: 1_200_000 },
  ],
};
const budgetAnswers = {
  "GET /budgets": BUDGETS,
  "GET /settings": { budgets: { user: 20_000_000, organisation: 100_000_000, people: {} } },
};
export const Spending = placed("/admin/budgets", budgetAnswers);
export const LimitOfOnePerson = placed("/admin/budgets", budgetAnswers, async ({ root }) => {
  await pressed(root, "Limit of grace@example.org");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("This person");
});
export const NoUsage = placed("/admin/usage", { "GET /usage": NONE });

const ENTRIES: AuditEntry[] = [
  {
    id: 2,
    at: at(60),
    actor: "ada@example.org",
    actor_id: "me",
    action: "user.created",
    subject: "u2",
    subject_name: "grace@example.org",
    detail: {},
  },
  { id: 1, at: at(0), action: "setting.changed", subject: "approvals", detail: {} },
];
export const AuditLog = placed("/admin/audit", {
  "GET /audit": { items: ENTRIES, next_cursor: "1" },
  "GET /users": { items: USERS },
});
export const NothingRecorded = placed("/admin/audit", { "GET /audit": NONE, "GET /users": { items: USERS } });
export const AuditRefused = placed("/admin/audit", {
  "GET /audit": () => new Response('{"message":"You may not see this."}', { status: 403 }),
  "GET /users": NONE,
});

const settings = { "GET /settings": { approvals: { execute: "ask" } }, "GET /tools": NONE };
export const Policies = placed("/admin/policies", settings, async ({ root, user }) => {
  await expect.poll(() => root.querySelector(".save-bar")?.textContent).toContain("All changes saved.");
  await user.fill(root.querySelector("input[type=number], input[inputmode]") as HTMLElement, "3");
  await expect.poll(() => root.querySelector(".save-bar")?.textContent).toContain("1 unsaved change");
});
export const Prompts = placed("/admin/prompts", settings);
export const Advisor = placed("/admin/advisor", settings);
