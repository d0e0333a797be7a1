/** The page as an app: installed, in the right colours from the first frame, and answered from a notification. */

import type { Page } from "@playwright/test";
import { expect, test } from "./page.ts";

/** What a service worker sees around it, as far as these tests use it. */
interface WorkerScope extends EventTarget {
  registration: ServiceWorkerRegistration;
  shown: Promise<{ title: string; options: { body: string; actions: { title: string }[] } }>;
  NotificationEvent: new (type: string, init: { action: string; notification: Notification }) => Event;
}

/** Have the browser hand its service worker a push, as if its push service had sent it. */
async function pushes(page: Page, message: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const registration = registrations.find(({ isDeleted }) => !isDeleted);
      if (registration) resolve(registration.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const { origin } = new URL(page.url());
  await session.send("ServiceWorker.deliverPushMessage", {
    origin,
    registrationId: await registered,
    data: JSON.stringify(message),
  });
  await session.detach();
}

test("the page can be installed: manifest, icons and the colour around it", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const href = await page.locator('link[rel="manifest"]').getAttribute("href");
  const answer = await page.request.get(String(href));
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = await answer.json();
  expect([manifest.name, manifest.display, manifest.start_url]).toEqual(["Perdure", "standalone", "/"]);
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (address) => {
      const image = await createImageBitmap(await (await fetch(address)).blob());
      return `${image.width}x${image.height}`;
    }, src);
    expect([src, size]).toEqual([src, sizes]);
  }
  const around = page.locator('meta[name="theme-color"]');
  await expect(around).toHaveAttribute("content", "#f5f4f0");
  await page.evaluate(() => localStorage.setItem("theme", "dark"));
  await page.reload();
  await expect(around).toHaveAttribute("content", "#121315");
});

test("whoever chose dark sees nothing light, not even before the page's code has come", async ({
  person,
}) => {
  const { page } = person;
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  await page.evaluate(() => localStorage.setItem("theme", "dark"));
  // The code never comes: what is seen is what the document alone makes of it.
  await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
  await page.reload({ waitUntil: "load" });
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(18, 19, 21)");
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
});

for (const [choice, outcome] of [
  ["approve", "done"],
  ["deny", "refused"],
] as const) {
  test(`a pushed approval is answered from its notification: ${choice}`, async ({ person, server }) => {
    const { page } = person;
    await page.context().grantPermissions(["notifications"]);
    await page.goto("/");
    await person.asks("PUT", "/me/settings/approvals", { value: { execute: "ask" } });
    await person.startsChat(`[[call:execute {"command": "echo ${choice}"}]][[then]][[say:${outcome}]]`);
    await expect(page.getByRole("button", { name: "Approve" }).first()).toBeVisible();
    const chat = new URL(page.url()).pathname.split("/").at(-1);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/push-worker.js");
      await navigator.serviceWorker.ready;
    });
    const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent("serviceworker"));
    // Whoever asks the browser for its notifications while it shows one makes it forget that one: listen instead.
    await worker.evaluate(() => {
      const scope = self as unknown as WorkerScope;
      const { registration } = scope;
      scope.shown = new Promise((resolve) => {
        registration.showNotification = async (title, options) => {
          await ServiceWorkerRegistration.prototype.showNotification.call(registration, title, options);
          resolve({ title, options } as Awaited<typeof scope.shown>);
        };
      });
    });
    await pushes(page, {
      id: 1,
      kind: "needs_you",
      title: "A chat",
      text: "Needs approval",
      chat_id: chat,
      url: `/chats/${chat}`,
    });
    const { options } = await worker.evaluate(() => (self as unknown as WorkerScope).shown);
    expect([options.body, options.actions.map(({ title }) => title)]).toEqual([
      `execute: echo ${choice}`,
      ["Approve", "Deny"],
    ]);
    await worker.evaluate(async (action) => {
      const scope = self as unknown as WorkerScope;
      const { title, options } = await scope.shown;
      for (;;) {
        const [notification] = await scope.registration.getNotifications();
        if (notification)
          return scope.dispatchEvent(
            new scope.NotificationEvent("notificationclick", { action, notification }),
          );
        await scope.registration.showNotification(title, options);
      }
    }, choice);
    await person.seesAnswer(outcome);
    await person.asks("PUT", "/me/settings/approvals", { value: {} });
    expect(server.url).toBe(new URL(page.url()).origin);
  });
}

test("the addresses for other programs are shown, and a token made there lets one in", async ({
  person,
  server,
}) => {
  const { page } = person;
  await page.goto("/settings/connect");
  for (const address of ["/v1", "/ai/chat", "/ag-ui/{agent}", "/mcp"])
    await expect(page.getByText(`${server.url}${address}`, { exact: true })).toBeVisible();
  await expect(page.getByText(/^perdure acp/)).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("my editor");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await page.getByRole("region", { name: "The new token" }).locator("code").first().innerText();
  const headers = { Authorization: `Bearer ${token}` };
  const models = await fetch(`${server.url}/v1/models`, { headers });
  expect(models.status).toBe(200);
  const providers = await fetch(`${server.url}/api/v1/providers`, { headers });
  expect(providers.status).toBe(403);
  const { items } = await person.asks<{ items: { id: string; name: string; scopes: string[] }[] }>(
    "GET",
    "/tokens",
  );
  const made = items.find((each) => each.name === "my editor");
  expect(made?.scopes).toEqual(["chat"]);
  await person.asks("DELETE", `/tokens/${made?.id}`);
});
