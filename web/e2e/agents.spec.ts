/** Plans, questions, steering and sub-agents. */

import { expect, type Person, test } from "./page.ts";

const ASK = JSON.stringify({
  questions: [
    { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue", description: "Calm." }] },
  ],
});
const PLAN = JSON.stringify({ title: "Paint it", plan: "## Steps\n\n1. Buy paint\n2. Paint" });

async function plans(person: Person, text: string): Promise<void> {
  await person.page.goto("/");
  await person.page.getByRole("button", { name: "Plan", exact: true }).click();
  await person.says(text);
  await person.page.waitForURL(/\/chats\//);
}

test("a question is answered with a button, once", async ({ person }) => {
  await plans(person, `[[call:ask_user_question ${ASK}]]`);
  await person.reads("Which colour?");
  await person.seesRest();
  const row = person.page.getByRole("region", { name: "Needs you" }).locator(".chat-row-current");
  await expect(row).toContainText("Has a question for you");
  await person.page.getByRole("button", { name: /^Inbox/ }).click();
  await expect(person.page.getByRole("group", { name: "Needs you" })).toContainText("Has a question for you");
  await person.page.keyboard.press("Escape");
  await person.transcript.getByRole("button", { name: /Blue/ }).click();
  await expect(person.transcript.locator(".row-user").last()).toContainText("Blue");
  await expect(row).toHaveCount(0);
  await person.seesRest();
  await person.page.reload();
  await person.reads("Which colour?");
  await expect(person.transcript.getByRole("button", { name: /Blue/ })).toBeDisabled();
});

test("a question is answered in words", async ({ person }) => {
  await plans(person, `[[call:ask_user_question ${ASK}]]`);
  await person.reads("Which colour?");
  await person.seesRest();
  await person.says("Neither. [[say:Green it is.]]");
  await person.reads("Green it is.");
  await expect(person.transcript.getByRole("button", { name: /Red/ })).toBeDisabled();
});

test("a plan is proposed, read, and implemented with plan mode off", async ({ person }) => {
  await plans(person, `[[call:propose_plan ${PLAN}]]`);
  await person.reads("Buy paint");
  await person.seesRest();
  const toggle = person.page.getByRole("button", { name: "Plan", exact: true });
  await expect(toggle).toHaveAttribute("aria-pressed", "true");
  await person.transcript.getByRole("button", { name: "Implement" }).click();
  await person.hasSaid("Implement the plan.");
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
  await expect(person.transcript.getByRole("button", { name: "Implement" })).toHaveCount(0);
});

test("steering says something at the next step, within the turn", async ({ person }) => {
  const step = "[[say:the old sea]][[gate:steer]][[call:list_templates {}]][[then]][[say:not this]]";
  await person.startsChat(step);
  await person.reads("the old sea");
  await person.composer.fill("[[say:steered instead]]");
  await person.page.getByRole("button", { name: "How to send" }).click();
  await person.page.getByRole("menuitem", { name: /Steer/ }).click();
  await expect(person.page.getByLabel("Delivered at the next step")).toBeVisible();
  await person.opens("steer");
  await person.reads("steered instead");
  await person.seesRest();
  await expect(person.transcript.locator(".row-text", { hasText: "not this" })).toHaveCount(0);
  await expect(person.transcript).not.toContainText("Interrupted");
});

test("a sub-agent has a card that lives, a chat of its own, and a report", async ({ person }) => {
  const spawn = JSON.stringify({
    type: "general",
    title: "Look around",
    prompt: "[[rate:20]][[say:60 tokens]]",
  });
  await person.startsChat(`[[call:spawn_agent ${spawn}]][[then]][[say:it is on its way]]`);
  const row = person.transcript.getByRole("button", { name: /Started an agent: Look around/ });
  await expect(row).toBeVisible();
  await row.click();
  const link = person.transcript.getByRole("link", { name: /Look around/ });
  await expect(link).toBeVisible();
  const child = (await link.getAttribute("href"))?.split("/").at(-1);
  await person.reads("it is on its way");
  await person.says(`[[call:wait_agent ${JSON.stringify({ ids: [child] })}]][[then]][[say:heard from it]]`);
  await person.reads("heard from it");
  await person.transcript.getByRole("button", { name: /Received reports from Look around/ }).click();
  await person.reads("the old sea");
  await person.seesRest();
  await link.first().click();
  await expect(person.page).toHaveURL(new RegExp(child ?? "no child"));
  await person.reads("the old sea");
});

test("a sub-agent at work shows its step, its time and what it cost, live", async ({ person }) => {
  const prompt =
    "[[say:first step]][[call:list_templates {}]][[then]][[say:second step]][[gate:child]][[say:over]]";
  const spawn = JSON.stringify({ type: "general", title: "Count steps", prompt });
  await person.startsChat(`[[call:spawn_agent ${spawn}]][[then]][[say:it is on its way]]`);
  await person.seesAnswer("it is on its way");
  const row = person.transcript.getByRole("button", { name: /Started an agent: Count steps/ });
  const progress = row.locator(".progress");
  await expect(progress).toHaveText(/^step 2 · [\dms ]+( · \$[\d.]+)?$/);
  const before = (await progress.textContent()) ?? "";
  await expect(progress).not.toHaveText(before);
  await person.opens("child");
  await expect(progress).toHaveText(/^2 steps · /);
});
