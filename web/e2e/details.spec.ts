/** Small things that were wrong once. */

import type { Locator } from "@playwright/test";
import { expect, Person, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';

test("the welcome's program is the one that it asks for", async ({ person, browser, server }) => {
  await person.page.goto("/");
  const { email, password } = await person.invites();
  const context = await browser.newContext({ baseURL: server.url });
  const newcomer = new Person(await context.newPage());
  const { page } = newcomer;
  await page.goto("/");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
  await page.getByRole("button", { name: /counts words/ }).click();
  await expect(newcomer.composer).toBeFocused();
  await newcomer.composer.press("Enter");
  await page.waitForURL(/\/chats\//);
  await newcomer.reads("word_count.py");
  await newcomer.seesRest();
  await context.close();
});

async function worksWithAQueue(person: Person): Promise<Locator> {
  await person.startsChat("[[say:the old sea]][[gate:never]]");
  await person.reads("the old sea");
  await person.says("[[say:from the queue]]");
  const queue = person.page.getByRole("region", { name: "Queue" });
  await expect(queue).toContainText("1 message in the queue");
  await person.page.getByRole("button", { name: "Stop", exact: true }).click();
  return person.page.getByRole("dialog", { name: "Stop the turn?" });
}

test("Stop asks what becomes of the queue: it is sent", async ({ person }) => {
  const question = await worksWithAQueue(person);
  await expect(question).toContainText("Once the turn stops, the first one is sent.");
  await question.getByRole("button", { name: "Stop and send the next one" }).click();
  await person.reads("Interrupted");
  await person.seesAnswer("from the queue");
});

test("Stop asks what becomes of the queue: it is cleared", async ({ person }) => {
  const question = await worksWithAQueue(person);
  await question.getByRole("button", { name: "Stop and clear the queue" }).click();
  await person.reads("Interrupted");
  await person.seesRest();
  await expect(person.page.getByRole("region", { name: "Queue" })).toHaveCount(0);
  await expect(person.transcript.locator(".row-text", { hasText: "from the queue" })).toHaveCount(0);
});

test("Escape stops nothing while a draft is being typed", async ({ person }) => {
  await person.startsChat("[[say:the old sea]][[gate:escape]][[say:to its end]]");
  await person.reads("the old sea");
  await person.composer.fill("half a thought");
  await person.composer.press("Escape");
  await person.opens("escape");
  await person.seesAnswer("to its end");
  await expect(person.transcript).not.toContainText("Interrupted");
  await expect(person.composer).toHaveValue("half a thought");
});

test("a slash lists every command, in an order of its own", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await person.composer.pressSequentially("/");
  const options = person.page.getByRole("listbox").getByRole("option");
  await expect(options.first()).toContainText("compact");
  for (const name of ["stop", "retry", "plan", "build", "rename", "archive", "export"])
    await expect(options.getByText(`/${name}`, { exact: true })).toBeVisible();
  await person.composer.fill("/ren");
  await expect(options).toHaveCount(1);
});

test("the title of a thought stands once", async ({ person }) => {
  await person.startsChat("[[think:**Looking around**\n\nThere are some files.]][[say:done]]");
  await person.seesAnswer("done");
  await person.transcript.getByRole("button", { name: "Looking around" }).click();
  await person.reads("There are some files.");
  await expect(person.transcript.locator(".row:not(.row-user)").getByText("Looking around")).toHaveCount(1);
});

test("a summary by hand leaves the duration of the turn before it", async ({ person }) => {
  await person.startsChat("[[say:900 tokens]]");
  await person.seesAnswer("the old sea");
  await person.says("[[say:short]]");
  await person.seesAnswer("short");
  const facts = person.transcript.locator(".turn-facts");
  await expect(facts).toHaveCount(2);
  const before = await facts.allInnerTexts();
  await person.says("/compact");
  await person.reads("Context compacted");
  await person.seesRest();
  expect((await facts.allInnerTexts()).slice(0, 2)).toEqual(before);
});

test("rows that open say whether they are open", async ({ person }) => {
  await person.startsChat(`${WORKSPACE}[[call:execute {"command": "echo one"}]][[then]][[say:done]]`);
  await person.seesAnswer("done");
  const line = person.transcript.getByRole("button", { name: /^Worked/ });
  await expect(line).toHaveAttribute("aria-expanded", "false");
  await line.click();
  await expect(line).toHaveAttribute("aria-expanded", "true");
  for (const row of await person.transcript.locator(".tool-line").all())
    await expect(row).toHaveAttribute("aria-expanded", /true|false/);
});

test("where sockets are refused the chat follows by events, also after an outage, and no error comes of it", async ({
  person,
  server,
}) => {
  const errors: string[] = [];
  person.page.on("pageerror", (error) => errors.push(String(error)));
  await person.page.routeWebSocket(/.*/, (socket) => socket.close());
  await person.startsChat("[[say:the old sea]][[gate:events]][[say:THE END]]");
  await person.reads("the old sea");
  await server.kill();
  await expect(person.page.locator(".phase")).toContainText("Reconnecting");
  await server.start();
  await person.opens("events");
  await person.seesAnswer("THE END");
  await person.says("[[fault:auth x1]][[say:right again]]");
  await person.page.getByRole("button", { name: "Retry", exact: true }).click();
  await person.seesAnswer("right again");
  expect(errors).toEqual([]);
});

/** A picture of two by one pixels. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8Dwn4EBAAf/Af8Jp8KFAAAAAElFTkSuQmCC",
  "base64",
);

test("a picture fills its frame, and has a larger view", async ({ person }) => {
  await person.page.goto("/");
  await person.page
    .locator("input[type=file]")
    .setInputFiles({ name: "two.png", mimeType: "image/png", buffer: PICTURE });
  await expect(person.page.locator(".attachment-picture")).toBeVisible();
  await person.says("[[say:seen]]");
  await person.page.waitForURL(/\/chats\//);
  await person.seesAnswer("seen");
  const frame = person.transcript.getByRole("button", { name: "Enlarge two.png" });
  const [outer, inner] = [await frame.boundingBox(), await frame.locator("img").boundingBox()];
  expect(Math.abs((outer?.width ?? 0) - (inner?.width ?? 0))).toBeLessThan(4);
  expect(Math.abs((outer?.height ?? 0) - (inner?.height ?? 0))).toBeLessThan(4);
  await frame.click();
  const large = person.page.getByRole("dialog", { name: "two.png" });
  await expect(large.locator("img")).toBeVisible();
  expect(await person.findingsInBothThemes()).toEqual([]);
  await person.page.keyboard.press("Escape");
  await expect(large).toHaveCount(0);
});

for (const [language, shown] of [
  ["en-US", /^\d{1,2}:\d\d [AP]M$/],
  ["en-GB", /^\d\d:\d\d$/],
] as const)
  test(`a clock says the time as ${language} does`, async ({ browser, server, signedIn }) => {
    const context = await browser.newContext({
      baseURL: server.url,
      storageState: signedIn,
      locale: language,
    });
    const person = new Person(await context.newPage());
    await person.startsChat("[[say:hello]]");
    await person.seesAnswer("hello");
    const time = person.transcript.locator(".row-user time");
    await person.transcript.locator(".row-user").hover();
    await expect(time).toHaveText(shown);
    await expect(time).not.toHaveText(/^0\d:\d\d [AP]M$/);
    await context.close();
  });
