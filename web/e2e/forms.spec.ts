/** Settings as people fill them in: tables, sliders, one button, and a question before anything is lost. */

import { expect, test } from "./page.ts";

test("approvals are a table that is searched, shows what wins, and holds for a chat", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/prompt");
  const approvals = page.getByRole("region", { name: "Your approvals" });
  await approvals.getByRole("searchbox", { name: "Find a tool" }).fill("run command");
  const row = approvals.getByRole("row", { name: /execute/ });
  await expect(approvals.getByRole("row")).toHaveCount(2);
  await expect(row).toContainText("Runs default");
  await row.getByRole("radio", { name: "Ask" }).check();
  await expect(row).toContainText("Asks your rule");
  await expect(approvals.getByRole("heading")).toContainText("unsaved");
  await expect(page.getByText("1 unsaved change: Your approvals")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("All changes saved.")).toBeVisible();
  expect(await person.asks("GET", "/me/settings/approvals")).toEqual({
    name: "approvals",
    value: { execute: "ask" },
  });

  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await page.getByRole("button", { name: "Chat actions" }).click();
  await page.getByRole("menuitem", { name: "Tools" }).click();
  const here = page.getByRole("dialog").getByRole("row", { name: /execute/ });
  await expect(here).toContainText("Asks your rule");
  await here.getByRole("radio", { name: "Never" }).click();
  await expect(here).toContainText("Never this chat");
  const path = new URL(page.url()).pathname;
  await expect
    .poll(() =>
      person.asks<{ settings: { approvals?: object } }>("GET", path).then((chat) => chat.settings.approvals),
    )
    .toEqual({ execute: "deny" });
  await person.asks("PUT", "/me/settings/approvals", { value: {} });
});

test("what the organization never allows cannot be allowed by a person", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/policies");
  const house = page.getByRole("region", { name: "Approvals" });
  await house.getByRole("searchbox").fill("github__delete_repository");
  await house.getByRole("button", { name: "Add a rule for github__delete_repository" }).click();
  const rule = house.getByRole("row", { name: /github__delete_repository/ });
  await rule.getByRole("radio", { name: "Never" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("All changes saved.")).toBeVisible();
  await person.goes("/settings/prompt");
  const own = page.getByRole("row", { name: /github__delete_repository/ });
  await expect(own).toContainText("Never organization");
  await expect(own.getByRole("radio", { name: "Run" })).toBeDisabled();
  await person.asks("PUT", "/settings/approvals", { value: {} });
});

test("a threshold is moved by keyboard, with the model's window beside it, and taken back", async ({
  person,
}) => {
  const { page } = person;
  await page.goto("/settings/prompt");
  const models = page.getByRole("region", { name: "Automatic compaction" });
  const model = models.getByRole("listitem").first();
  const slider = model.getByRole("slider");
  await expect(slider).toHaveValue("70");
  await expect(model).toContainText(/of \d+K tokens/);
  await slider.press("ArrowLeft");
  await expect(model.getByRole("spinbutton")).toHaveValue("69");
  await expect(models.getByRole("heading")).toContainText("unsaved");
  await model.getByRole("button", { name: /Use the default/ }).click();
  await expect(page.getByText("All changes saved.")).toBeVisible();
});

test("leaving with something unsaved asks first, also by the back button", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/profile");
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Your instructions" })
    .click();
  await page.getByRole("textbox", { name: "Instructions" }).fill("Answer in verse.");
  await page.getByRole("link", { name: "Notifications" }).click();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.getByRole("textbox", { name: "Instructions" })).toHaveValue("Answer in verse.");
  await page.evaluate(() => history.back());
  await question.getByRole("button", { name: "Discard and leave" }).click();
  await expect(page).toHaveURL(/settings\/profile/);
  await page.getByRole("link", { name: "Your instructions" }).click();
  await expect(page.getByRole("textbox", { name: "Instructions" })).toHaveValue("");
});

test("two groups of policies are saved with one button, and discarded with another", async ({ person }) => {
  const { page } = person;
  await page.goto("/admin/policies");
  const days = page.getByRole("region", { name: "Retention" }).getByRole("spinbutton");
  const steps = page.getByRole("region", { name: "Limits" }).getByRole("spinbutton");
  await expect(steps).toHaveValue("1200");
  await days.fill("45");
  await steps.fill("900");
  await expect(page.getByText("2 unsaved changes: Retention, Limits")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(steps).toHaveValue("1200");
  await days.fill("45");
  await steps.fill("0");
  await page.getByRole("button", { name: "Save" }).click();
  // What is refused says so, and stays to be mended; what fits is saved.
  await expect(page.getByRole("region", { name: "Limits" }).getByRole("alert")).toBeVisible();
  await expect(page.getByText("1 unsaved change: Limits")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(days).toHaveValue("45");
  await person.asks("PUT", "/settings/retention", { value: {} });
});

test("a place that is empty says what it is for, and begins", async ({ person }) => {
  const { page } = person;
  await page.goto("/settings/tokens");
  await expect(page.getByText("Scripts, bots and CI sign in with a token.")).toBeVisible();
  await page.getByRole("button", { name: "Add your first token" }).click();
  const form = page.getByRole("dialog", { name: "Add token" });
  await form.getByLabel("Name").fill("build");
  await expect(form.getByRole("switch", { name: "Chat" })).toBeChecked();
  await form.getByRole("switch", { name: "Read" }).check();
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "The new token" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove token" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("No tokens yet")).toBeVisible();
});
