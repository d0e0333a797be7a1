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
  expect(await person.transcript.locator(".row-text").allInnerTexts()).toEqual([words, "THE END"]);
});

test("a message sent while the server is gone is kept, and can be sent again", async ({ person, server }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesRest();
  await server.kill();
  await person.says("[[say:after the outage]]");
  await person.hasSaid("Not sent");
  await expect(person.page.getByText("No connection.")).toBeVisible();
  await server.start();
  await person.page.getByRole("button", { name: "Send again" }).click();
  await person.reads("after the outage");
  await person.seesRest();
  await expect(person.page.getByText("No connection.")).toHaveCount(0);
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
  await person.seesRest();
  await person.composer.fill("look at this");
  const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0]);
  await person.page
    .locator("input[type=file]")
    .setInputFiles({ name: "tool.bin", mimeType: "application/x-elf", buffer: bytes });
  await expect(person.page.locator(".attachment-failed")).toBeVisible();
  await expect(person.composer).toHaveValue("look at this");
});
