/** Chats that start by themselves, and programs that are told of chats. */

import { expect, test } from "./page.ts";

test("a schedule shows its next times, runs now, is paused, changed and removed", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/schedules");
  await page.getByRole("button", { name: "Add schedule", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Add schedule" });
  await form.getByLabel("Name").fill("Night watch");
  await form.getByLabel("Prompt").fill("[[say:all is quiet]]");
  await form.getByLabel("When").fill("0 0 31 2 *");
  await expect(form.getByText(/never runs again/)).toBeVisible();
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByRole("alert")).toBeVisible();
  await form.getByLabel("When").fill("30 4 * * *");
  await form.getByLabel("Time zone").selectOption("Asia/Tokyo");
  const times = form.getByRole("listitem");
  await expect(times).toHaveCount(5);
  for (const time of await times.all()) await expect(time).toContainText("4:30 AM");
  await form.getByLabel("If the previous run is still going").selectOption("skip");
  expect(await person.accessibility()).toEqual([]);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form).toHaveCount(0);

  const row = page
    .getByRole("region", { name: "Schedules" })
    .getByRole("listitem")
    .filter({ hasText: "Night watch" });
  await expect(row).toContainText("4:30 AM");
  await row.getByRole("button", { name: "Run now" }).click();
  await row.getByRole("button", { name: "History" }).click();
  const runs = page.getByRole("dialog", { name: "Runs of Night watch" });
  await runs.getByRole("link", { name: "Open chat" }).click();
  await person.seesAnswer("all is quiet");

  await page.goto("/settings/schedules");
  await expect(row.getByRole("link", { name: "Last chat" })).toBeVisible();
  await row.getByRole("button", { name: "Pause" }).click();
  await expect(row).toContainText("paused");
  await row.getByRole("button", { name: "Edit Night watch" }).click();
  const change = page.getByRole("dialog", { name: "Edit Night watch" });
  await expect(change.getByLabel("If the previous run is still going")).toHaveValue("skip");
  await change.getByLabel("When").fill("FREQ=WEEKLY;BYDAY=MO;BYHOUR=5;BYMINUTE=15");
  await expect(change.getByRole("listitem").filter({ hasText: "5:15 AM" })).toHaveCount(5);
  await change.getByRole("button", { name: "Save" }).click();
  await expect(change).toHaveCount(0);
  await expect(row).toContainText("BYDAY=MO");
  await row.getByRole("button", { name: "Resume" }).click();
  await expect(row).toContainText("5:15 AM");
  await row.getByRole("button", { name: "Remove Night watch" }).click();
  await row.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(row).toHaveCount(0);
});

test("a webhook shows its secret once, is tried out, and what was given up is sent again", async ({
  person,
}) => {
  const { page } = person;
  await page.goto("/settings/webhooks");
  await page.getByRole("button", { name: "Add webhook", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Add webhook" });
  await form.getByLabel("Name").fill("Bell tower");
  await form.getByLabel("URL").fill("nowhere");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByRole("alert")).toBeVisible();
  // No webhook leads into the server's own machine, so nobody hears this one.
  await form.getByLabel("URL").fill("http://127.0.0.1:9/bell");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const made = page.getByRole("dialog", { name: "The new webhook" });
  await expect(made.locator("code")).toContainText(/^whsec_/);
  await page.keyboard.press("Escape");

  const row = page
    .getByRole("region", { name: "Webhooks" })
    .getByRole("listitem")
    .filter({ hasText: "Bell tower" });
  await row.getByRole("button", { name: "Deliveries" }).click();
  const deliveries = page.getByRole("dialog", { name: "Deliveries to Bell tower" });
  await deliveries.getByRole("button", { name: "Send a test" }).click();
  const told = deliveries.getByRole("listitem").filter({ hasText: "Test" });
  await expect(told).toContainText("given up");
  await deliveries.getByRole("radio", { name: "Given up" }).check();
  await expect(told).toContainText("could not be reached");
  expect(await person.accessibility()).toEqual([]);
  const { items } = await person.asks<{ items: { id: string; name: string }[] }>("GET", "/webhooks");
  const path = `/webhooks/${items.find((each) => each.name === "Bell tower")?.id}/deliveries`;
  const settled = () =>
    person.asks<{ items: { settled_at?: string }[] }>("GET", path).then(({ items }) => items[0]?.settled_at);
  const before = await settled();
  await told.getByRole("button", { name: "Send again" }).click();
  await expect.poll(async () => (await settled()) ?? before).not.toBe(before);
  await page.keyboard.press("Escape");

  await row.getByRole("button", { name: "Edit webhook" }).click();
  const change = page.getByRole("dialog", { name: "Edit webhook" });
  await change.getByRole("switch", { name: "On", exact: true }).uncheck();
  await change.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("off");
  await row.getByRole("button", { name: "Remove webhook" }).click();
  await row.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(row).toHaveCount(0);
});

test("a trigger shows its URL and its secret once, is tried out, changed and removed", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/triggers");
  await page.getByRole("button", { name: "Add trigger", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Add trigger" });
  await form.getByLabel("Name").fill("New issues");
  await form.getByLabel("Prompt").fill("{{ title }}");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByText("is not a field: write", { exact: false }).first()).toBeVisible();
  await form.getByLabel("Prompt").fill("[[say:looked at {{ body.title }}]]");
  await form.getByLabel("Only if").fill("body.action is opened | reopened");
  await form.getByLabel("Workspace").selectOption({ label: "A new one for each chat: blank" });
  expect(await person.accessibility()).toEqual([]);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const made = page.getByRole("dialog", { name: "The new trigger" });
  await expect(made.locator("code").first()).toContainText("/api/v1/in/");
  await expect(made.locator("code").last()).toContainText(/^whsec_/);
  await page.keyboard.press("Escape");

  const row = page
    .getByRole("region", { name: "Triggers" })
    .getByRole("listitem")
    .filter({ hasText: "New issues" });
  await row.getByRole("button", { name: "Deliveries" }).click();
  const deliveries = page.getByRole("dialog", { name: "Deliveries to New issues" });
  await deliveries.getByLabel("Test with this body").fill("nothing");
  await deliveries.getByRole("button", { name: "Send a test" }).click();
  await expect(deliveries.getByText("This is not JSON.")).toBeVisible();
  await deliveries.getByLabel("Test with this body").fill('{"action": "opened", "title": "the slow page"}');
  await deliveries.getByRole("button", { name: "Send a test" }).click();
  const came = deliveries.getByRole("listitem").filter({ hasText: "delivered" });
  await expect(came).toHaveCount(1);
  await came.getByRole("button", { name: "Replay" }).click();
  await expect(came).toHaveCount(2);
  expect(await person.accessibility()).toEqual([]);
  await came.first().getByRole("link", { name: "Open chat" }).click();
  await person.seesAnswer("looked at the slow page");

  await page.goto("/settings/triggers");
  await row.getByRole("button", { name: "Edit trigger" }).click();
  const change = page.getByRole("dialog", { name: "Edit trigger" });
  await expect(change.getByLabel("Only if")).toHaveValue("body.action is opened | reopened");
  await expect(change.getByLabel("Workspace")).toHaveValue("template:blank");
  await change.getByLabel("Workspace").selectOption({ label: "Automatic workspace" });
  await change.getByRole("switch", { name: "On", exact: true }).uncheck();
  await change.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("off");
  await row.getByRole("button", { name: "Remove trigger" }).click();
  await row.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(row).toHaveCount(0);
});

test("whoever has no trigger links their account too, by a code", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/triggers");
  const accounts = page.getByRole("region", { name: "Your accounts on GitHub and Slack" });
  await expect(accounts.getByText("No account is linked.")).toBeVisible();
  await accounts.getByRole("button", { name: "Link my account" }).click();
  const dialog = page.getByRole("dialog", { name: "Link my account" });
  await expect(dialog.locator("code")).toHaveText(/^@perdure link [A-Z2-7]{4}-[A-Z2-7]{4}$/);
  expect(await person.accessibility()).toEqual([]);
});
