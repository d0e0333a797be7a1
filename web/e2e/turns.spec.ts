/** Turns while they work and once they are over. */

import { expect, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';

test("an answer is made again, by the same model and by another, and both stay as versions", async ({
  person,
}) => {
  await person.page.goto("/");
  const { items } = await person.asks<{ items: { id: string }[] }>("GET", "/providers");
  const second = { name: "second", provider_id: items[0]?.id, model: "demo" };
  await person.asks("POST", "/model-settings", second);
  await person.startsChat("[[say:the one answer]]");
  await person.seesAnswer("the one answer");
  await person.page.getByRole("button", { name: "Regenerate answer" }).click();
  await expect(person.transcript.locator(".versions")).toContainText("2 / 2");
  await person.seesAnswer("the one answer");
  await expect(person.transcript.locator(".turn-facts")).toBeVisible();
  await person.page.getByRole("button", { name: "Regenerate with another model" }).click();
  await person.page.getByRole("menuitem", { name: /second/ }).click();
  await expect(person.transcript.locator(".versions")).toContainText("3 / 3");
  await person.seesAnswer("the one answer");
  await expect(person.transcript.locator(".turn-facts")).toContainText("second");
  await person.page.getByRole("button", { name: "Earlier version" }).click();
  await person.reads("the one answer");
  await expect(person.page.getByRole("region", { name: "Earlier version" })).toBeVisible();
  await person.asks("DELETE", "/model-settings/second");
});

test("a turn at work says for how long, at which step and with how many tokens", async ({ person }) => {
  await person.startsChat(
    "[[say:the old sea]][[call:list_templates {}]][[then]][[say:was far away]][[gate:step]][[say:and red]]",
  );
  await person.reads("was far away");
  const progress = person.page.locator(".phase .progress");
  await expect(progress).toHaveText(/^[\dms ]+ · step 2 · \d+ tokens$/);
  const before = await progress.textContent();
  await expect(progress).not.toHaveText(before ?? "");
  await person.opens("step");
  await person.seesAnswer("and red");
  await expect(progress).toHaveCount(0);
});

test("a finished turn folds its work under one line, and the answer stands", async ({ person }) => {
  await person.startsChat(
    `${WORKSPACE}[[call:execute {"command": "echo one"}]][[then]][[say:looking on]][[call:list_templates {}]][[then]][[say:the answer]]`,
  );
  await person.seesAnswer("the answer");
  const line = person.transcript.getByRole("button", { name: /^Worked/ });
  await expect(line).toContainText("3 tool calls");
  await expect(person.transcript.getByText("looking on")).toHaveCount(1); // what was said, by the person
  await line.click();
  await person.reads("looking on");
  await person.transcript.getByRole("button", { name: /Ran echo one/ }).click();
  await expect(person.transcript.locator(".output")).toContainText("one");
});

test("what is opened stays open when it is scrolled away", async ({ person }) => {
  await person.startsChat(`${WORKSPACE}[[call:execute {"command": "echo here"}]][[then]][[say:first done]]`);
  await person.seesAnswer("first done");
  await person.transcript.getByRole("button", { name: /^Worked/ }).click();
  await person.transcript.getByRole("button", { name: /Ran echo here/ }).click();
  await expect(person.transcript.locator(".output")).toContainText("here");
  await person.says("[[say:3000 tokens]][[say:the very end]]");
  await person.seesAnswer("the very end");
  await person.page.keyboard.press("End");
  await expect(person.transcript.locator(".output")).toHaveCount(0);
  await person.page.keyboard.press("Home");
  await expect(person.transcript.locator(".output")).toContainText("here");
});

test("live output follows its tail, and shows the end when it is done", async ({ person }) => {
  // Waited for, however late the file comes.
  const command = "seq 1 300; until [ -e go ]; do sleep 0.1; done; seq 301 500";
  await person.startsChat(
    `${WORKSPACE}[[call:execute ${JSON.stringify({ command, timeout: 600 })}]][[then]][[say:counted]]`,
  );
  await person.transcript.getByRole("button", { name: /Running seq/ }).click();
  const end = (text: string) =>
    person.transcript
      .locator(".output pre")
      .evaluate(
        (box, last) =>
          box.textContent?.trimEnd().endsWith(last) &&
          box.scrollHeight - box.clientHeight - box.scrollTop < 30,
        text,
      );
  await expect.poll(() => end("300")).toBe(true);
  const box = await person.transcript.locator(".output pre").elementHandle();
  const path = new URL(person.page.url()).pathname;
  const { chat } = await person.asks<{ chat: { workspace_id: string } }>("GET", path);
  await person.asks("POST", "/chats", {
    content: [{ type: "text", text: '[[call:write_file {"path": "go", "content": ""}]]' }],
    workspace_id: chat.workspace_id,
  });
  await person.seesAnswer("counted");
  await expect.poll(() => end("500")).toBe(true);
  // What somebody has open is not drawn anew when the turn ends: it would jump under their pointer.
  await expect(person.transcript.getByRole("button", { name: /^Worked/ })).toHaveAttribute(
    "aria-expanded",
    "true",
  );
  expect(await box?.evaluate((element) => element.isConnected)).toBe(true);
  await person.transcript.getByRole("button", { name: /Show all/ }).click();
  await expect(person.transcript.locator(".output pre")).toContainText("1\n2\n3\n");
});
