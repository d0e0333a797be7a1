/** Wherever a turn ends early or an address leads nowhere, there is a way on. */

import { expect, Person, test } from "./page.ts";

test("an answer that was cut at its limit is continued", async ({ person }) => {
  await person.startsChat("[[say:the first half]][[finish:length]]");
  await person.reads("the first half");
  await person.reads("The answer reached the output limit");
  await person.page.getByRole("button", { name: "Continue", exact: true }).click();
  await person.hasSaid("Continue.");
  await person.seesRest();
  await expect(person.page.getByRole("button", { name: "Continue", exact: true })).toHaveCount(0);
});

test("questions that failed say why, and cannot be answered", async ({ person }) => {
  await person.page.goto("/");
  await person.page.getByRole("button", { name: "Plan", exact: true }).click();
  await person.says(
    '[[call:ask_user_question {"questions": [{"question": "Which?", "options": []}]}]][[then]][[say:never mind]]',
  );
  await person.page.waitForURL(/\/chats\//);
  await person.seesAnswer("never mind");
  await person.reads("These questions can no longer be answered:");
  await expect(person.transcript.getByRole("group", { name: "Which?" })).toHaveAttribute("disabled", "");
});

test("a chat that outgrew its model is summarized and retried, or goes on with another model", async ({
  person,
}) => {
  await person.page.goto("/");
  const { items } = await person.asks<{ items: { id: string }[] }>("GET", "/providers");
  await person.asks("POST", "/model-settings", {
    name: "roomy",
    provider_id: items[0]?.id,
    model: "demo",
  });
  // Once before the chat is summarized by itself, and once after it.
  const over = { parts: [{ type: "fault", kind: "overflow" }] };
  for (const text of ["it fits now", "there is room"]) {
    const fits = { parts: [{ type: "text", text }] };
    const steps = [over, over, ...Array(9).fill(fits)];
    await person.scripts({ name: text.replaceAll(" ", "-"), counted: true, steps });
  }
  await person.startsChat("[[say:900 tokens]]");
  await person.seesAnswer("the old sea");
  const card = person.page.getByRole("region", { name: "Error" });
  await person.says("[[script:it-fits-now]]");
  await card.getByRole("button", { name: "Compact and retry" }).click();
  await expect(card).toHaveCount(0, { timeout: 9_000 });
  await person.seesAnswer("it fits now");
  await person.says("[[script:there-is-room]]");
  await card.getByRole("button", { name: "Retry with another model" }).click();
  await person.page.getByRole("menuitem", { name: /roomy/ }).click();
  await person.seesAnswer("there is room");
  await expect(person.transcript.locator(".turn-facts").last()).toContainText("roomy");
  await person.asks("DELETE", "/model-settings/roomy");
});

test("a sign-in link that is over shows a page of the product, with the way on", async ({
  browser,
  server,
}) => {
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  const answer = await page.goto("/api/v1/login/link?token=not-any-more");
  expect(answer?.status()).toBeGreaterThanOrEqual(400);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page).toHaveTitle(/Perdure/);
  expect(await new Person(page).findingsInBothThemes()).toEqual([]);
  await page.getByRole("link").first().click();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await context.close();
});

test("an address that leads nowhere says so, and leads back", async ({ person }) => {
  await person.page.goto("/no/such/place");
  await expect(person.page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  expect(await person.findingsInBothThemes()).toEqual([]);
  await person.page.getByRole("link", { name: "Go to your chats" }).click();
  await expect(person.composer).toBeVisible();
  await person.page.goto("/settings/no-such-page");
  await expect(person.page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(person.page.getByText("Page not found")).toBeVisible();
});
