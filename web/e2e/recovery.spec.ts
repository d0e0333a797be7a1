/** The page when things break: the server dies, the session ends, the chat goes away. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, Person, test } from "./page.ts";

/** Stands between the page and its server, and can swallow what goes over connections that are open now. */
class BlackHole {
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #server = createServer((near) => {
    const far = connect(this.#to, "127.0.0.1");
    this.#pairs.add([near, far]);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on("error", () => {});
  });
  readonly #to: number;

  constructor(to: number) {
    this.#to = to;
  }

  async listens(): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, "127.0.0.1", ready));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Open connections stay open, and nothing comes over them any more. New ones work. */
  swallows(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
    }
  }

  close(): void {
    for (const pair of this.#pairs) for (const end of pair) end.destroy();
    this.#server.close();
  }
}

test("a connection that is open and leads nowhere is replaced, and the answer is seen to its end", async ({
  browser,
  server,
  signedIn,
  another,
}) => {
  const outside = await another();
  await outside.page.goto("/");
  const between = new BlackHole(server.port);
  const context = await browser.newContext({ baseURL: await between.listens(), storageState: signedIn });
  const person = new Person(await context.newPage());
  await person.startsChat("[[say:first]][[gate:swallowed]][[say:THE END]]");
  await person.reads("first");
  between.swallows();
  await outside.opens("swallowed");
  await expect(person.transcript.locator(".row-text")).toHaveText(["first", "THE END"], { timeout: 90_000 });
  await person.seesRest();
  await context.close();
  between.close();
});

test("a browser that is offline says so", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.reads("hello");
  await person.page.context().setOffline(true);
  await expect(person.page.getByText("You are offline.")).toBeVisible();
  await person.page.context().setOffline(false);
  await expect(person.page.getByText("You are offline.")).toHaveCount(0);
});

test("the server is killed in the middle of an answer, and the page resumes by itself", async ({
  person,
  server,
}) => {
  const words = Array.from({ length: 120 }, (_, at) => `word${at}`).join(" ");
  await person.startsChat(`[[rate:60]][[say:${words}]][[gate:killed]][[say:THE END]]`);
  await person.reads("word5 word6");
  await server.kill();
  await person.composer.fill("typed while it is gone");
  await expect(person.page.locator(".phase")).toContainText("Reconnecting");
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
  await expect(person.page.getByText("No connection to the server.")).toBeVisible();
  await server.start();
  await person.reads("after the outage");
  await person.reads("and then this");
  await person.seesRest();
  await expect(person.page.getByText("No connection to the server.")).toHaveCount(0);
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
  await expect(person.page.getByRole("heading", { name: "Chat not found" })).toBeVisible();
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
