/** What an agent serves is looked at in the panel and in a tab of its own, and gets nothing of the person's. */

import { expect, type Person, test } from "./page.ts";

const PORT = 4107;
/** A page that uses a path from its root, a cookie and storage, and then tries to act as the person. */
const INDEX = `<!doctype html><html lang=en><title>Served</title><h1>It is served</h1><ol></ol><script type=module src=/app.js></script>`;
const APP = `
const says = (text) => document.querySelector("ol").append(Object.assign(document.createElement("li"), { textContent: text }));
const tries = async (name, work) => says(name + ": " + (await work().catch((error) => "refused")));
document.cookie = "theirs=1";
says("own cookie: " + document.cookie);
await tries("own storage", async () => { localStorage.kept = "kept"; return localStorage.kept; });
const server = new URLSearchParams(location.search).get("server");
await tries("here", async () => (await fetch("/api/v1/me")).status);
await tries("as the person", async () => (await fetch(server + "/api/v1/me", { credentials: "include" })).status);
await tries("write", async () => (await fetch(server + "/api/v1/chats", { method: "POST", credentials: "include", body: "{}" })).status);
await tries("page around", async () => parent === window ? "refused" : parent.document.title);
says("done");
`;

function call(tool: string, args: object): string {
  return `[[call:${tool} ${JSON.stringify(args)}]][[then]]`;
}

async function serves(person: Person): Promise<void> {
  await person.startsChat(`${call("create_workspace", { template: "blank" })}[[say:ready]]`);
  await person.reads("ready");
  await person.seesRest();
  const chat = new URL(person.page.url()).pathname.split("/").at(-1);
  const { chat: card } = await person.asks<{ chat: { workspace_id: string } }>("GET", `/chats/${chat}`);
  await put(person, card.workspace_id, "index.html", INDEX);
  await put(person, card.workspace_id, "app.js", APP);
  await person.says(
    `${call("execute", { command: `python3 -m http.server ${PORT} --bind 127.0.0.1`, background: true })}[[say:served]]`,
  );
  await person.reads("served");
  await person.seesRest();
}

async function put(person: Person, workspace: string, path: string, content: string): Promise<void> {
  await person.page.evaluate(
    async ([workspace, path, content]) => {
      const { csrf_token } = await (await fetch("/api/v1/me")).json();
      const headers = { "X-CSRF-Token": csrf_token };
      const url = `/api/v1/workspaces/${workspace}/files/content?path=${path}`;
      const answer = await fetch(url, { method: "PUT", headers, body: new Blob([content]) });
      if (!answer.ok) throw new Error(`${answer.status}`);
    },
    [workspace, path, content] as const,
  );
}

test("a page that is served is shown on an origin of its own, where it is nobody", async ({
  person,
  server,
}) => {
  const { page } = person;
  await serves(person);
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Preview" }).click();
  await expect(page.getByLabel("Port")).toContainText(`${PORT} · python3`);
  const inside = page.frameLocator(".preview-frame");
  await expect(inside.getByRole("heading", { name: "It is served" })).toBeVisible();
  const frame = page.frames().find((each) => each.url().includes(".localhost:"));
  const origin = new URL(frame?.url() ?? "").origin;
  expect(origin).not.toBe(new URL(server.url).origin);
  await frame?.goto(`${origin}/?server=${encodeURIComponent(server.url)}`);
  await expect(inside.getByText("done")).toBeVisible();
  await expect(inside.getByText("here: 404")).toBeVisible();
  for (const name of ["as the person", "write", "page around"])
    await expect(inside.getByText(`${name}: refused`)).toBeVisible();
  await page.getByRole("button", { name: "Reload the preview" }).click();
  await expect(inside.getByRole("heading", { name: "It is served" })).toBeVisible();
  const opening = page.context().waitForEvent("page");
  await page.getByRole("button", { name: "Open in a new tab" }).click();
  const tab = await opening;
  await expect(tab.getByRole("heading", { name: "It is served" })).toBeVisible();
  // In a frame of another site's page browsers keep neither; in a tab they do.
  await expect(tab.getByText("own cookie: theirs=1")).toBeVisible();
  await expect(tab.getByText("own storage: kept")).toBeVisible();
  expect(new URL(tab.url()).origin).toBe(origin);
  // Whoever has the address alone sees nothing.
  const stranger = await page.context().browser()?.newContext();
  const strange = await stranger?.newPage();
  const answer = await strange?.goto(origin);
  expect(answer?.status()).toBe(404);
  await stranger?.close();
});

test("where nothing listens the panel says so", async ({ person }) => {
  const { page } = person;
  await person.startsChat(`${call("create_workspace", { template: "blank" })}[[say:ready]]`);
  await person.reads("ready");
  await person.seesRest();
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Preview" }).click();
  await expect(page.getByText("Nothing listens on a port yet.")).toBeVisible();
});

test("a workspace that is stopped is started from the preview", async ({ person }) => {
  const { page } = person;
  await person.startsChat(`${call("create_workspace", { template: "blank" })}[[say:ready]]`);
  await person.seesAnswer("ready");
  const { chat } = await person.asks<{ chat: { workspace_id: string } }>("GET", new URL(page.url()).pathname);
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Preview" }).click();
  await expect(page.getByText("Nothing listens on a port yet.")).toBeVisible();
  await person.asks("POST", `/workspaces/${chat.workspace_id}/stop`, {});
  await page.getByRole("button", { name: "Start workspace" }).click();
  await expect(page.getByText("Nothing listens on a port yet.")).toBeVisible();
});
