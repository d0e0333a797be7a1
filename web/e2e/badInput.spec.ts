/** What goes wrong outside of the page: it says so, and nothing that was typed is lost. */

import { expect, test } from "./page.ts";

test("a session that expired leads to the door, and the draft is there after it", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:hello]]");
  await person.seesRest();
  await person.composer.fill("words that nobody sent yet");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await page.context().addCookies(cookies);
  await page.reload();
  await expect(person.composer).toHaveValue("words that nobody sent yet");
});

test("a chat that is deleted elsewhere says so where it is open", async ({ person, another }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesRest();
  const second = await another();
  await second.page.goto("/");
  const path = new URL(person.page.url()).pathname;
  const statuses = await second.page.evaluate(async (chat) => {
    const { csrf_token } = await (await fetch("/api/v1/me")).json();
    const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf_token };
    const archived = await fetch(`/api/v1${chat}`, { method: "PATCH", headers, body: '{"archived": true}' });
    const deleted = await fetch(`/api/v1${chat}`, { method: "DELETE", headers });
    return [archived.ok, deleted.ok];
  }, path);
  expect(statuses).toEqual([true, true]);
  await expect(person.page.getByRole("heading", { name: "This chat is not here" })).toBeVisible();
});

test("two megabytes pasted become a file that goes along", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesRest();
  await person.composer.evaluate((box) => {
    const data = new DataTransfer();
    data.setData("text/plain", "a line of a long log\n".repeat(100_000));
    box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(person.page.locator(".attachment")).toBeVisible();
  await person.composer.fill("[[say:got the log]]");
  await expect(person.page.getByRole("button", { name: "Send message" })).toHaveAttribute(
    "aria-disabled",
    "false",
  );
  await person.composer.press("Enter");
  await person.reads("got the log");
});

test("a message of ten thousand lines is sent whole", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesRest();
  // Typing it line by line is what takes a browser minutes; the text as a whole is what the page has to bear.
  await person.composer.evaluate((box: HTMLTextAreaElement) => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at}`);
    const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
    value?.set?.call(box, [...lines, "[[say:read it all]]"].join("\n"));
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  await person.composer.press("Enter");
  await expect(person.transcript.locator(".row-text").last()).toHaveText("read it all");
  await person.seesRest();
  await person.composer.press("ArrowUp");
  await expect(person.composer).toHaveValue(/^line 0\nline 1\n/);
  expect((await person.composer.inputValue()).split("\n")).toHaveLength(10_001);
});
