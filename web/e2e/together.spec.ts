/** Several people in one chat. */

import { expect, Person, test } from "./page.ts";

test("a colleague writes, is named and types; alone, nothing of it is seen", async ({
  person,
  browser,
  server,
}) => {
  const { page } = person;
  await person.startsChat("[[say:hello to everybody]]");
  await person.seesAnswer("hello to everybody");
  await expect(page.locator(".present, .author, .typing:not(:empty)")).toHaveCount(0);

  const { email, password } = await person.invites();
  const users = await person.asks<{ items: { id: string; email: string }[] }>("GET", "/users");
  const colleague = users.items.find((user) => user.email === email);
  await person.asks("PATCH", `/users/${colleague?.id}`, { name: "Grace Hopper" });
  await page.getByRole("button", { name: "Chat actions" }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByLabel("Grace Hopper", { exact: true }).selectOption("write");
  expect(await person.accessibility()).toEqual([]);
  await page.keyboard.press("Escape");

  const context = await browser.newContext({ baseURL: server.url });
  const grace = new Person(await context.newPage());
  await grace.page.goto(server.url);
  await grace.page.getByLabel("Email").fill(email);
  await grace.page.getByLabel("Password").fill(password);
  await grace.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await grace.page.getByRole("navigation").waitFor();
  await grace.page.goto(page.url());
  await grace.seesAnswer("hello to everybody");
  await expect(page.getByRole("img", { name: "Here now: Grace Hopper" })).toBeVisible();

  await grace.composer.pressSequentially("Look");
  await expect(page.getByText("Grace Hopper is typing…")).toBeVisible();
  await grace.says("[[say:an answer for Grace]]");
  await person.seesAnswer("an answer for Grace");
  await expect(person.transcript.locator(".row-user .author")).toHaveText(["Grace Hopper"]);
  await expect(grace.transcript.locator(".row-user .author")).toHaveCount(1);

  await person.composer.fill("@Gra");
  await page.getByRole("option", { name: "Grace.Hopper" }).click();
  await person.composer.press("End");
  await person.composer.pressSequentially("[[say:noted]]");
  await person.composer.press("Enter");
  await person.seesAnswer("noted");
  // She looks at the chat, so that she has read it already.
  const inbox = await grace.asks<{ items: { kind: string }[] }>("GET", "/inbox");
  expect(inbox.items.map((entry) => entry.kind)).toContain("mention");
  await context.close();
  await expect(page.locator(".present")).toHaveCount(0);
});
