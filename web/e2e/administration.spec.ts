/** Forms that set the house up, against the routes that take them. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./page.ts";

test("a template is brought, chosen for a chat with its parameters, and taken away", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/templates");
  await page.getByRole("button", { name: "Add template" }).click();
  const form = page.getByRole("dialog", { name: "Add template" });
  await form.getByLabel("Name").fill("greeter");
  await form.getByLabel("template.toml").fill('description = "Greets.\n');
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByRole("alert")).toBeVisible();
  await form
    .getByLabel("template.toml")
    .fill(
      'description = "Greets."\nstart_up = "echo hello $TEMPLATE_NAME > greeting"\n\n[[parameters]]\nname = "name"\nrequired = true\n',
    );
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByText("Greets.")).toBeVisible();

  await page.goto("/");
  await page.getByRole("button", { name: "Workspace" }).click();
  await page.getByRole("menuitemradio", { name: /greeter/ }).click();
  await page.getByLabel("name", { exact: true }).fill("moon");
  await person.says('[[call:execute {"command": "cat greeting"}]][[then]][[say:greeted]]');
  await page.waitForURL(/\/chats\//);
  await person.reads("greeted");
  await person.transcript.getByRole("button", { name: /Ran cat greeting/ }).click();
  await expect(person.transcript.locator(".output")).toContainText("hello moon");

  await page.goto("/settings/workspaces");
  const row = page.getByRole("listitem").filter({ hasText: "greeter" });
  await row.getByRole("button", { name: "Stop" }).click();
  await expect(row).toContainText("stopped");
  await row.getByRole("button", { name: "Remove workspace" }).click();
  await row.getByRole("button", { name: "Remove with all its files" }).click();
  await expect(row).toHaveCount(0);
  await page.goto("/admin/templates");
  await page.getByRole("button", { name: "Remove template greeter" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("Greets.")).toHaveCount(0);
});

test("an MCP server is added, tested, changed and removed", async ({ person }) => {
  const { page } = person;
  const stranger = createServer((_, answer) => answer.writeHead(404).end("nothing here"));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address() as AddressInfo;
  await page.goto("/admin/mcp");
  await page.getByRole("button", { name: "Add server" }).click();
  const form = page.getByRole("dialog", { name: "Add server" });
  await form.getByLabel("Slug").fill("notes");
  await form.getByLabel("URL").fill(`http://127.0.0.1:${port}/mcp`);
  await form.getByLabel("Authentication").selectOption("api_key");
  await form.getByLabel("Secret").fill("shh");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form).toHaveCount(0);
  const row = page.getByRole("listitem").filter({ hasText: "notes" }).filter({ hasText: "127.0.0.1" });
  await row.getByRole("button", { name: "Test" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).not.toBeEmpty();
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "Edit server" }).click();
  const change = page.getByRole("dialog", { name: "Edit server" });
  await change.getByLabel("Name", { exact: true }).fill("Team notes");
  await change.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Team notes")).toBeVisible();
  await row.getByRole("button", { name: "Remove server" }).click();
  await row.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("Team notes")).toHaveCount(0);
  stranger.close();
});

test("a chat chooses which MCP servers it uses", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  for (const [slug, availability] of [
    ["always", "forced_on"],
    ["usual", "default_on"],
    ["rare", "default_off"],
  ]) {
    const server = { slug, name: slug, transport: "http", url: "http://127.0.0.1:1/mcp", availability };
    await person.asks("POST", "/mcp-servers", server);
  }
  await person.startsChat("[[say:hello]]");
  await person.reads("hello");
  const path = new URL(page.url()).pathname;
  await page.getByRole("button", { name: "Chat actions" }).click();
  await page.getByRole("menuitem", { name: "Tools" }).click();
  await expect(page.getByRole("switch", { name: "always" })).toBeDisabled();
  await expect(page.getByRole("switch", { name: "usual" })).toBeChecked();
  await page.getByRole("switch", { name: "rare" }).click();
  await expect(page.getByRole("switch", { name: "rare" })).toBeChecked();
  await page.getByRole("switch", { name: "usual" }).click();
  await expect
    .poll(() => person.asks<{ settings: object }>("GET", path).then((chat) => chat.settings))
    .toEqual({ mcp_servers: ["rare"] });
  const { items } = await person.asks<{ items: { id: string }[] }>("GET", "/mcp-servers");
  for (const { id } of items) await person.asks("DELETE", `/mcp-servers/${id}`);
});

test("a hook is refused with a short secret, made with its own, and removed", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await person.asks("PUT", "/settings/experiments", { value: ["hooks"] });
  await person.goes("/admin/hooks");
  await page.getByRole("button", { name: "Add hook" }).click();
  const form = page.getByRole("dialog", { name: "Add hook" });
  await form.getByLabel("Name").fill("rules");
  await form.getByLabel("URL").fill("http://127.0.0.1:1/hook");
  await form.getByLabel("Secret").fill("short");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByText(/16/).first()).toBeVisible();
  await expect(form.getByRole("alert")).toBeVisible();
  await form.getByLabel("Secret").fill("");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "The new hook" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Edit hook" }).click();
  const change = page.getByRole("dialog", { name: "Edit hook" });
  await change.getByLabel("Name").fill("house rules");
  await change.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("house rules")).toBeVisible();
  await page.getByRole("button", { name: "Remove hook" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("house rules")).toHaveCount(0);
  await person.asks("PUT", "/settings/experiments", { value: [] });
});

test("a skill is taught, changed, offered in the composer, and forgotten", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/skills");
  await page.getByRole("button", { name: "Add skill" }).click();
  const form = page.getByRole("dialog", { name: "Add skill" });
  await form.getByLabel("Name").fill("Not A Name");
  await form.getByLabel("When to use it").fill("For release notes");
  await form.getByLabel("Instructions").fill("Read the log.");
  await form.getByRole("button", { name: "Save skill" }).click();
  await expect(form.getByRole("alert")).toBeVisible();
  await form.getByLabel("Name").fill("notes");
  await form.getByRole("button", { name: "Save skill" }).click();
  await page.getByRole("button", { name: "Edit skill notes" }).click();
  const change = page.getByRole("dialog", { name: "Edit notes" });
  await expect(change.getByLabel("Instructions")).toHaveValue("Read the log.");
  await change.getByLabel("When to use it").fill("For notes of a release");
  await change.getByRole("button", { name: "Save skill" }).click();
  await expect(page.getByText("For notes of a release")).toBeVisible();
  await person.goes("/");
  await person.composer.fill("/no");
  await expect(page.getByRole("option", { name: /notes/ })).toBeVisible();
  await person.goes("/settings/skills");
  await page.getByRole("button", { name: "Remove skill notes" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("For notes of a release")).toHaveCount(0);
});

test("a budget for one person is set, shown, and taken back", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/budgets");
  await page.getByRole("button", { name: "Limit of owner@localhost" }).click();
  await page.getByLabel("This person").fill("12.5");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("cell", { name: "$12.50" })).toBeVisible();
  await page.getByRole("button", { name: "Limit of owner@localhost" }).click();
  await page.getByLabel("This person").fill("");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("cell", { name: "$12.50" })).toHaveCount(0);
});

test("calls to models are kept once that is turned on, and shown in the panel", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/policies");
  const section = page.getByRole("region", { name: "Debug runs" });
  await section.getByRole("switch", { name: "Record model calls" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("All changes saved.")).toBeVisible();
  await person.startsChat("[[say:watch me]]");
  await person.reads("watch me");
  await person.seesRest();
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Debug" }).click();
  const run = page.locator(".debug-run").filter({ hasText: "demo" }).last();
  await expect(run).toBeVisible();
  await run.getByRole("button").first().click();
  // Other calls of the chat may be written down meanwhile, and stand anywhere in the list.
  await expect(page.locator(".debug-run").filter({ hasText: "Received" })).toHaveCount(1);
});

test("a browser subscribes to pushes with the server's key, and takes that back", async ({ person }) => {
  const { page } = person;
  await page.context().grantPermissions(["notifications"]);
  // The browser of a test has no push service: this one stands in for it, with keys such as a browser makes.
  await page.addInitScript(() => {
    const words = (bytes: ArrayBuffer) =>
      btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
    PushManager.prototype.subscribe = async (options) => {
      const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
        "deriveBits",
      ]);
      const keys = {
        p256dh: words(await crypto.subtle.exportKey("raw", pair.publicKey)),
        auth: words(crypto.getRandomValues(new Uint8Array(16)).buffer),
      };
      document.documentElement.dataset.pushKey = String(options?.applicationServerKey);
      return {
        toJSON: () => ({ endpoint: "https://push.example.org/one", keys }),
      } as unknown as PushSubscription;
    };
  });
  await page.goto("/settings/notifications");
  await page.getByRole("button", { name: "Also when Perdure is closed" }).click();
  await expect(page.getByText("also when Perdure is closed")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-push-key", /^.{87}$/);
  await page.getByRole("button", { name: "Turn off" }).click();
  await expect(page.getByText("while Perdure is open")).toBeVisible();
});

test("a provider is added with its key, tried at once, and given a model", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/providers");
  await page.getByRole("button", { name: /Custom \(OpenAI-compatible\)/ }).click();
  const form = page.getByRole("dialog", { name: "Add Custom (OpenAI-compatible)" });
  const { items } = await person.asks<{ items: { base_url: string }[] }>("GET", "/providers");
  await form.getByLabel("Name").fill("House model");
  await form.getByLabel("URL").fill("http://127.0.0.1:1");
  await form.getByLabel("API key").fill("sk-house");
  await form.getByRole("button", { name: "Add provider" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "House model" });
  await expect(row.getByRole("alert")).toContainText("House model cannot be reached.");
  await expect(row).toContainText("key set");
  await row.getByRole("button", { name: "Edit provider" }).click();
  const change = page.getByRole("dialog", { name: "Edit House model" });
  await change.getByLabel("URL").fill(String(items[0]?.base_url));
  await change.getByRole("button", { name: "Save" }).click();
  await expect(row.getByRole("status")).toContainText("demo answers.");
  await expect(row).toContainText("no models");
  await row.getByRole("button", { name: "Model", exact: true }).click();
  const models = page.getByRole("dialog", { name: "Add a model from House model" });
  await models.getByRole("button", { name: /demo-fast/ }).click();
  await models.getByLabel("Alias").fill("house-fast");
  await models.getByRole("button", { name: "Add model" }).click();
  await expect(row).toContainText("1 model");
  await row.getByRole("button", { name: "Remove provider" }).click();
  await row.getByRole("button", { name: "Remove with its models" }).click();
  await expect(row).toHaveCount(0);
});

test("a group gets its members, and a login service is set up, switched off and removed", async ({
  person,
}) => {
  const { page } = person;
  await page.goto("/admin/users");
  await page.getByRole("button", { name: "Add group" }).click();
  const group = page.getByRole("dialog", { name: "Add group" });
  await group.getByLabel("Name").fill("Readers");
  await group.getByRole("switch").first().check();
  await group.getByRole("button", { name: "Add", exact: true }).click();
  const readers = page.getByRole("listitem").filter({ hasText: "Readers" });
  await expect(readers).toBeVisible();
  await expect(readers).not.toContainText("no members yet");
  await readers.getByRole("button", { name: "Remove group" }).click();
  await readers.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(readers).toHaveCount(0);

  await page.getByRole("button", { name: "Add login service" }).click();
  const form = page.getByRole("dialog", { name: "Add login service" });
  await form.getByLabel("Slug").fill("house");
  await form.getByLabel("Name", { exact: true }).fill("House SSO");
  await form.getByLabel("Issuer").fill("https://login.example.com");
  await form.getByLabel("Client ID").fill("perdure");
  await form.getByLabel("Client secret").fill("shh");
  await form.getByLabel("Role mapping").fill("platform=admin");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form).toHaveCount(0);
  const service = page.getByRole("listitem").filter({ hasText: "House SSO" });
  await expect(service).toContainText("/login/oidc/house/callback");
  await service.getByRole("button", { name: "Edit login service" }).click();
  const change = page.getByRole("dialog", { name: "Edit House SSO" });
  await expect(change.getByLabel("Role mapping")).toHaveValue("platform=admin");
  await change.getByRole("switch", { name: "On", exact: true }).uncheck();
  await change.getByRole("button", { name: "Save" }).click();
  await expect(service).toContainText("off");
  await service.getByRole("button", { name: "Remove login service" }).click();
  await service.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(service).toHaveCount(0);
});
