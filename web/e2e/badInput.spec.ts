/** What goes wrong outside of the page: it says so, and nothing that was typed is lost. */

import type { Route } from "@playwright/test";
import { expect, test } from "./page.ts";

test("a session that expired leads to the door, and the draft is there after it", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await person.composer.fill("words that nobody sent yet");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await page.context().addCookies(cookies);
  await page.reload();
  await expect(person.composer).toHaveValue("words that nobody sent yet");
});

test("what is said after the session ended is sent once somebody signs in again", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:hello]]");
  await person.reads("hello");
  await person.seesRest();
  const cookies = await page.context().cookies();
  // It ends as the message goes out: whatever else the page asks before would say so first, over the composer.
  const ends = async (route: Route) => {
    await page.context().clearCookies();
    await route.fulfill({ status: 401, json: { message: "Sign in." } });
  };
  await page.route("**/messages", ends, { times: 1 });
  await person.says("[[say:nothing was lost]]");
  await expect(page.getByRole("dialog", { name: "Your session has ended" })).toBeVisible();
  await page.context().addCookies(cookies);
  await page.reload();
  await person.reads("nothing was lost");
});

test("a model that is gone is refused with what to do, and the text stays", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const { items } = await person.asks<{ items: { id: string }[] }>("GET", "/providers");
  const setting = { name: "short-lived", model: "demo-fast", provider_id: items[0]?.id };
  await person.asks("POST", "/model-settings", setting);
  await page.reload();
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio", { name: /short-lived/ }).click();
  await person.asks("DELETE", "/model-settings/short-lived");
  await person.says("[[say:with another one]]");
  await expect(page.getByRole("alert")).toContainText("Choose another and send again");
  await expect(person.composer).toHaveValue("[[say:with another one]]");
  await expect(page.getByRole("button", { name: /^Model/ })).not.toContainText("short-lived");
  await person.composer.press("Enter");
  await person.reads("with another one");
});

test("a chat that is deleted elsewhere says so where it is open", async ({ person, another }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  const second = await another();
  await second.page.goto("/");
  const path = new URL(person.page.url()).pathname;
  await second.asks("PATCH", path, { archived: true });
  await second.asks("DELETE", path);
  await expect(person.page.getByRole("heading", { name: "Chat not found" })).toBeVisible();
});

test("two megabytes pasted become a file that goes along", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
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
  await person.seesAnswer("hello");
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
