/** Several calls that wait for a person at once: decided one by one, some together, or all. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Person, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';
const run = (command: string) => `[[call:execute ${JSON.stringify({ command })}]]`;

async function asksBefore(person: Person, ...tools: string[]): Promise<void> {
  await person.startsChat(`${WORKSPACE}[[say:ready]]`);
  await person.seesAnswer("ready");
  const approvals = Object.fromEntries(tools.map((tool) => [tool, "ask"]));
  await person.asks("PATCH", new URL(person.page.url()).pathname, { approvals });
}

const cardOf = (person: Person) => person.page.getByRole("region", { name: "Approval needed" });

test("some calls are decided together, the rest by keys and arrows", async ({ person }) => {
  await asksBefore(person, "execute");
  const calls = ["echo one", "echo two", "echo three", "echo four"];
  await person.says(`${calls.map(run).join("")}[[then]][[say:all are answered]]`);
  const entries = cardOf(person).getByRole("listitem");
  await expect(entries).toHaveCount(4);
  await entries.nth(0).getByRole("checkbox").check();
  await entries.nth(1).getByRole("checkbox").check();
  await cardOf(person).getByRole("button", { name: "Approve (2 selected)" }).click();
  await expect(entries.nth(0)).toContainText("Approved");
  await expect(entries.nth(1)).toContainText("Approved");
  await entries.nth(2).getByRole("button", { name: "Approve", exact: true }).focus();
  await person.page.keyboard.press("ArrowDown");
  await expect(entries.nth(3).getByRole("button", { name: "Approve", exact: true })).toBeFocused();
  await person.page.keyboard.press("d");
  await person.page.keyboard.press("Enter");
  await expect(entries.nth(3)).toContainText("Denied");
  await entries.nth(2).getByRole("button", { name: "Approve", exact: true }).press("a");
  await person.seesAnswer("all are answered");
});

test("all calls are decided at once", async ({ person }) => {
  await asksBefore(person, "execute");
  await person.says(`${run("echo one")}${run("echo two")}[[then]][[say:both ran]]`);
  await cardOf(person).getByRole("button", { name: "Approve (all 2)" }).click();
  await person.seesAnswer("both ran");
});

test("what somebody else decided first stands, and whoever comes second is told", async ({
  person,
  another,
}) => {
  await asksBefore(person, "execute");
  await person.says(`${run("echo one")}${run("echo two")}[[then]][[say:decided]]`);
  const second = await another();
  let first = () => {};
  const decided = new Promise<void>((resolve) => {
    first = resolve;
  });
  await second.page.route("**/action", async (route) => {
    await decided;
    await route.continue();
  });
  await second.page.goto(person.page.url());
  await cardOf(second)
    .getByRole("listitem")
    .first()
    .getByRole("button", { name: "Approve", exact: true })
    .click();
  const entry = cardOf(person).getByRole("listitem").first();
  await entry.getByRole("button", { name: "Deny" }).click();
  await person.page.keyboard.press("Enter");
  await expect(entry).toContainText("Denied");
  first();
  await expect(second.page.locator(".toast")).toContainText("This call of execute has already been denied.");
  await expect(cardOf(second).getByRole("listitem").first()).toContainText("Denied");
  await cardOf(person).getByRole("button", { name: "Approve", exact: true }).click();
  await person.seesAnswer("decided");
});

test("whoever approves sees an edit as its diff, and other arguments by their names", async ({ person }) => {
  await asksBefore(person, "edit_files", "create_workspace", "web_fetch");
  const edit = { files: [{ path: "a.py", edits: [{ old_text: "y = 2", new_text: "y = 3\nz = 4" }] }] };
  await person.says(
    `[[call:edit_files ${JSON.stringify(edit)}]][[call:create_workspace {"template": "blank"}]][[then]][[say:over]]`,
  );
  const [first, second] = [
    cardOf(person).getByRole("listitem").nth(0),
    cardOf(person).getByRole("listitem").nth(1),
  ];
  await expect(first.locator(".diff-added .diff-code")).toHaveText(["y = 3", "z = 4"]);
  await expect(first.locator(".diff-removed .diff-code")).toHaveText(["y = 2"]);
  await expect(second.locator("dt")).toHaveText(["template"]);
  await expect(second.locator("dd")).toHaveText(["blank"]);
  await expect(cardOf(person)).not.toContainText("\\n");
  await expect(cardOf(person)).not.toContainText("{");
  await cardOf(person).getByRole("button", { name: "Deny (all 2)" }).click();
  await person.seesAnswer("over");
});

/** Tools of somebody else, whose calls never come back. */
class Notes {
  /** How many calls have come. */
  calls = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, answer) => {
      let body = "";
      for await (const piece of request) body += piece;
      const { id, method } = body ? JSON.parse(body) : { id: undefined, method: "" };
      const result = this.#results[method];
      if (method === "tools/call") this.calls++;
      else if (!result) answer.writeHead(request.method === "POST" ? 202 : 405).end();
      else
        answer
          .writeHead(200, { "Content-Type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  }

  readonly #results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "notes", version: "1" },
    },
    "tools/list": {
      tools: [{ name: "write", description: "Writes.", inputSchema: { type: "object", properties: {} } }],
    },
  };

  async listens(): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, "127.0.0.1", ready));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

test("calls that the server lost are decided about: it happened, or it is skipped", async ({
  person,
  server,
}) => {
  const notes = new Notes();
  await person.page.goto("/");
  const added = { slug: "notes", name: "Notes", transport: "http", url: await notes.listens() };
  const { id } = await person.asks<{ id: string }>("POST", "/mcp-servers", {
    ...added,
    availability: "forced_on",
  });
  await person.asks("PUT", "/me/settings/approvals", { value: { notes__write: "auto" } });
  await person.startsChat("[[call:notes__write {}]][[call:notes__write {}]][[then]][[say:all is known]]");
  await expect.poll(() => notes.calls).toBe(2);
  await server.kill();
  await server.start();
  const card = person.page.getByRole("region", { name: "Did this happen?" });
  await expect(card.getByRole("listitem")).toHaveCount(2);
  await card.getByRole("listitem").first().getByRole("button", { name: "It happened" }).press("h");
  await expect(card.getByRole("listitem").first().locator(".pill-accent")).toHaveText("It happened");
  await card.getByRole("listitem").nth(1).getByRole("button", { name: "Skip" }).click();
  await person.seesAnswer("all is known");
  expect(notes.calls).toBe(2);
  await person.asks("DELETE", `/mcp-servers/${id}`);
  await person.asks("PUT", "/me/settings/approvals", { value: {} });
  notes.close();
});
