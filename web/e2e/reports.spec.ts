/** What was used, what was done, and where agents work. */

import { readFile } from "node:fs/promises";
import { expect, type Person, test } from "./page.ts";

/** What somebody gets when they press the button that exports. */
async function exported(person: Person): Promise<string> {
  const [file] = await Promise.all([
    person.page.waitForEvent("download"),
    person.page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  return readFile(await file.path(), "utf8");
}

test("usage has a range, all its days, groups, and a file", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:counted]]");
  await person.seesAnswer("counted");
  await person.goes("/admin/usage");
  const chart = page.getByRole("img", { name: /: 30 bars/ });
  await expect(chart).toBeVisible();
  await expect(chart.locator(".chart-tick").nth(1)).toBeVisible();
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(page.getByRole("img", { name: /: 7 bars/ })).toBeVisible();
  const lines = (await exported(person)).trim().split("\r\n");
  expect(lines[0]).toBe("day,chat_id,calls,input_tokens,output_tokens,cost_usd,unpriced_calls");
  expect(lines).toHaveLength(8);
  await page.getByRole("tab", { name: "By person" }).click();
  await expect(page.getByRole("row", { name: /owner@localhost/ })).toBeVisible();
  await page.getByRole("tab", { name: "By chat" }).click();
  await expect(page.getByRole("row", { name: /Total/ })).toBeVisible();
});

test("everybody sees their own usage and budget, down to the chat", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:mine]]");
  await person.seesAnswer("mine");
  const chat = new URL(page.url()).pathname;
  await person.goes("/settings/usage");
  await expect(page.getByRole("region", { name: "Your budget" })).toContainText("no limit");
  await expect(page.getByRole("tab", { name: "By person" })).toHaveCount(0);
  await page.getByRole("tab", { name: "By chat" }).click();
  await page.getByRole("table").locator(`a[href="${chat}"]`).click();
  await expect(person.transcript).toBeVisible();
});

test("the audit log has names, filters and a file", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const group = await person.asks<{ id: string }>("POST", "/groups", { name: "Night shift" });
  await person.asks("PUT", "/settings/step_limit", { value: 1200 });
  await person.goes("/admin/audit");
  await expect(
    page.getByRole("row", { name: /Group added/ }).filter({ hasText: "Night shift" }),
  ).toBeVisible();
  await expect(page.getByRole("row", { name: /Setting set/ }).first()).toContainText("step limit");
  await page.getByLabel("Action", { exact: true }).selectOption("group");
  await expect(page.getByRole("row", { name: /Setting set/ })).toHaveCount(0);
  const file = await exported(person);
  expect(file).toContain(`group.add,${group.id},Night shift`);
  expect(file).not.toContain("setting.put");
  await page.getByLabel("To", { exact: true }).fill("2020-01-01");
  await expect(page.getByText("Nothing matches")).toBeVisible();
  await person.asks("DELETE", `/groups/${group.id}`);
});

test("a workspace is named, shows its chat and size, and a new chat takes it", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await page.getByRole("button", { name: "Workspace" }).click();
  await page.getByRole("menuitemradio", { name: /^blank/ }).click();
  await person.says('[[call:execute {"command": "echo kept > note"}]][[then]][[say:written]]');
  await page.waitForURL(/\/chats\//);
  await person.seesAnswer("written");
  const chat = new URL(page.url()).pathname;
  await person.goes("/settings/workspaces");
  const row = page.locator(".row-card").filter({ has: page.locator(`a[href="${chat}"]`) });
  await expect(row).toContainText(/\d(B|kB|MB) · created/);
  await row.getByRole("button", { name: /^Rename/ }).click();
  await row.getByLabel("Name of the workspace").fill("Note keeper");
  await row.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Note keeper");

  await person.goes("/");
  await page.getByRole("button", { name: "Workspace" }).click();
  await page.getByRole("menuitemradio", { name: /Note keeper/ }).click();
  await person.says('[[call:execute {"command": "cat note"}]][[then]][[say:read]]');
  await page.waitForURL((url) => url.pathname.startsWith("/chats/") && url.pathname !== chat);
  await person.seesAnswer("read");
  await person.transcript.getByRole("button", { name: /Ran cat note/ }).click();
  await expect(person.transcript.locator(".output")).toContainText("kept");
});
