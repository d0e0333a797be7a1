/** What a person does on the page, as the tests say it. */

import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import AxeBuilderSource from "axe-core";
import { PerdureServer } from "./server.mjs";

export { expect };

export class Person {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get composer() {
    return this.page.getByRole("combobox", { name: "Message" });
  }
  get transcript() {
    return this.page.getByRole("log", { name: "Conversation" });
  }

  async says(text: string, key = "Enter"): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press(key);
  }

  async startsChat(text: string): Promise<void> {
    await this.page.goto("/");
    await this.says(text);
    await this.page.waitForURL(/\/chats\//);
  }

  async reads(text: string | RegExp): Promise<void> {
    await expect(this.transcript).toContainText(text);
  }

  /** The turn is over: nothing works any more. */
  async seesRest(): Promise<void> {
    await expect(this.page.locator(".phase")).toHaveAttribute("data-phase", /idle|error/);
  }

  /** Serious and critical findings, with the policy's own rules left alone. */
  async accessibility(): Promise<string[]> {
    await this.page.evaluate(AxeBuilderSource.source);
    return this.page.evaluate(async () => {
      const axe = (window as unknown as { axe: typeof AxeBuilderSource }).axe;
      const { violations } = await axe.run(document);
      return violations
        .filter((entry) => entry.impact === "serious" || entry.impact === "critical")
        .flatMap((entry) => entry.nodes.map((node) => `${entry.id}: ${node.html.slice(0, 200)}`));
    });
  }
}

interface Worker {
  server: PerdureServer;
  signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

export const test = base.extend<{ person: Person; another: () => Promise<Person> }, Worker>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the pattern
    async ({}, use) => {
      const server = await PerdureServer.started();
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  signedIn: [
    async ({ browser, server }, use) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(server.link ?? server.url);
      await page.waitForURL(`${server.url}/`);
      await use(await context.storageState());
    },
    { scope: "worker" },
  ],
  person: async ({ browser, server, signedIn }, use) => {
    const context = await opened(browser, server, signedIn);
    await use(new Person(await context.newPage()));
    await context.close();
  },
  another: async ({ browser, server, signedIn }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await opened(browser, server, signedIn);
      contexts.push(context);
      return new Person(await context.newPage());
    });
    for (const context of contexts) await context.close();
  },
});

function opened(
  browser: Browser,
  server: PerdureServer,
  storageState: Worker["signedIn"],
): Promise<BrowserContext> {
  return browser.newContext({ baseURL: server.url, storageState, viewport: { width: 1280, height: 800 } });
}
