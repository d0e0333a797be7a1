/** The page when things break: the server dies, the session ends, the chat goes away. */

import { expect, Person, test } from "./page.ts";

test("the server is killed in the middle of an answer, and the page resumes by itself", async ({
  person,
  server,
}) => {
  const words = Array.from({ length: 120 }, (_, at) => `word${at}`).join(" ");
  await person.startsChat(`[[rate:60]][[say:${words}]][[gate:killed]][[say:THE END]]`);
  await person.reads("word5 word6");
  await server.kill();
  await person.composer.fill("typed while it is gone");
  await expect(person.page.locator(".phase")).toContainText("Connecting again");
  await server.start();
  await person.opens("killed");
  await person.reads("THE END");
  await person.seesRest();
  await expect(person.composer).toHaveValue("typed while it is gone");
  await expect(person.transcript.locator(".row-text")).toHaveText([words, "THE END"]);
});

test("what is said while the server is gone is kept, and sent once and in order when it is back", async ({
  person,
  server,
}) => {
  await person.startsChat("[[say:hello]]");
  await person.reads("hello");
  await person.seesRest();
  await server.kill();
  await person.says("[[say:after the outage]]");
  await person.says("[[say:and then this]]");
  await expect(person.transcript.getByText("Will be sent when the server is back")).toHaveCount(2);
  await expect(person.page.getByText("No connection.")).toBeVisible();
  await server.start();
  await person.reads("after the outage");
  await person.reads("and then this");
  await person.seesRest();
  await expect(person.page.getByText("No connection.")).toHaveCount(0);
  await expect(person.transcript.locator(".row-text")).toHaveText([
    "hello",
    "after the outage",
    "and then this",
  ]);
});

test("what could not be sent is sent after a reload, from wherever one is", async ({ person }) => {
  const { page } = person;
  await person.startsChat("[[say:hello]]");
  await person.reads("hello");
  const chat = page.url();
  await page.route("**/messages", (route) => route.abort());
  await person.says("[[say:kept by the browser]]");
  await person.hasSaid("Will be sent");
  await page.unroute("**/messages");
  await page.goto("/settings/profile");
  const kept = () => Object.keys(localStorage).filter((key) => key.startsWith("send:"));
  await expect.poll(() => page.evaluate(kept)).toEqual([]);
  await page.goto(chat);
  await person.reads("kept by the browser");
  await expect(person.transcript.locator(".row-user")).toHaveCount(2);
});

test("a chat whose beginning was heard, and the answer lost, begins once", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await expect(person.composer).toBeVisible();
  const before = new Date().toISOString();
  let tries = 0;
  await page.route("**/api/v1/chats", async (route) => {
    if (route.request().method() !== "POST" || ++tries > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await person.says("[[say:begun at last]]");
  await page.waitForURL(/\/chats\//);
  await person.reads("begun at last");
  expect(tries).toBe(2);
  const { items } = await person.asks<{ items: { created_at: string }[] }>("GET", "/chats");
  expect(items.filter((chat) => chat.created_at > before)).toHaveLength(1);
});

test("a chat that is not there says so", async ({ person }) => {
  await person.page.goto("/chats/00000000-0000-4000-8000-000000000000");
  await expect(person.page.getByRole("heading", { name: "This chat is not here" })).toBeVisible();
});

test("signing out leads to the door", async ({ browser, server }) => {
  const page = await browser.newPage({ baseURL: server.url });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Perdure" })).toBeVisible();
  await new Person(page).accessibility().then((findings) => expect(findings).toEqual([]));
  await page.close();
});

test("an upload that is refused says why, and the text stays", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await person.composer.fill("look at this");
  const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0]);
  await person.page
    .locator("input[type=file]")
    .setInputFiles({ name: "tool.bin", mimeType: "application/x-elf", buffer: bytes });
  await expect(person.page.locator(".attachment-failed")).toBeVisible();
  await expect(person.composer).toHaveValue("look at this");
});
