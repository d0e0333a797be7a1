/** What a person does on the page, as the tests say it. */

import { randomUUID } from "node:crypto";
import {
  type Browser,
  type BrowserContext,
  test as base,
  expect,
  type Page,
  type Request,
} from "@playwright/test";
import AxeBuilderSource from "axe-core";
import { goWithoutPointer } from "./keyboard.ts";
import { PerdureServer } from "./server.mjs";

export { expect };

export class Person {
  readonly page: Page;
  /** What the page asked the server and has no answer to yet. */
  readonly #asked = new Set<Request>();

  constructor(page: Page) {
    this.page = page;
    page.on("request", (request) => this.#asked.add(request));
    page.on("requestfinished", (request) => this.#asked.delete(request));
    page.on("requestfailed", (request) => this.#asked.delete(request));
  }

  get composer() {
    return this.page.getByRole("textbox", { name: "Message", exact: true });
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

  /** What a program would ask in this person's name. */
  async asks<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return this.page.evaluate(
      async ([method, path, body]) => {
        const { csrf_token } = await (await fetch("/api/v1/me")).json();
        const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf_token };
        const answer = await fetch(`/api/v1${path}`, { method, headers, body });
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
        const text = await answer.text();
        return text ? JSON.parse(text) : null;
      },
      [method, path, body && JSON.stringify(body)] as const,
    );
  }

  /** Somebody else who may sign in here. */
  async invites(): Promise<{ email: string; password: string }> {
    const [email, password] = [`${randomUUID()}@example.org`, "a long enough password"];
    await this.asks("POST", "/users", { email, role: "member", password });
    return { email, password };
  }

  /** What the model says where it is asked for `[[script:name]]`. */
  async scripts(script: { name: string; counted?: boolean; steps: object[] }): Promise<void> {
    const answer = await fetch(await this.#simulator("/sim/scripts"), {
      method: "POST",
      body: JSON.stringify(script),
    });
    expect(answer.status).toBe(201);
  }

  async #simulator(path: string): Promise<URL> {
    const { items } = await this.asks<{ items: { base_url: string }[] }>("GET", "/providers");
    return new URL(path, items[0]?.base_url);
  }

  /** Let the model go on where its answer waits at `[[gate:name]]`. */
  async opens(gate: string): Promise<void> {
    const answer = await fetch(await this.#simulator(`/sim/gates/${gate}/pass`), { method: "POST" });
    expect(answer.status).toBe(200);
  }

  /** To another place of the page, as its links do: without loading it anew. */
  async goes(path: string): Promise<void> {
    await this.page.evaluate((to) => history.pushState(null, "", to), path);
    await this.settles();
  }

  /** Every page that the menu of the settings leads to, as it stands there. */
  async placesOf(area: "settings" | "admin"): Promise<string[]> {
    const links = this.page.locator(`.settings-nav a[href^="/${area}/"]`);
    await expect(links.first()).toBeVisible();
    return links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  }

  /** Everything asked for has come, and is shown. */
  async settles(): Promise<void> {
    await expect(async () => {
      await this.shows();
      expect(this.#asked.size).toBe(0);
    }).toPass({ intervals: [20, 50, 100] });
  }

  /** What is known is drawn, and its colours have arrived where they go. */
  async shows(): Promise<void> {
    await this.page.evaluate(async () => {
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      const ending = document
        .getAnimations()
        .filter((entry) => entry.effect?.getTiming().iterations !== Infinity);
      await Promise.allSettled(ending.map((entry) => entry.finished));
    });
  }

  /** In what the agent said and did; never in what this person said. */
  async reads(text: string): Promise<void> {
    await expect(this.transcript.locator(".row:not(.row-user)", having(text)).first()).toBeVisible();
  }

  /** It is read, and the turn is over. A chat that has not begun its turn yet is at rest as well. */
  async seesAnswer(text: string): Promise<void> {
    await this.reads(text);
    await this.seesRest();
  }

  async hasSaid(text: string): Promise<void> {
    await expect(this.transcript.locator(".row-user", having(text)).first()).toBeVisible();
  }

  /** The turn is over: nothing works any more. */
  async seesRest(): Promise<void> {
    await expect(this.page.locator(".phase")).toHaveAttribute("data-phase", /idle|error/);
  }

  async findingsInBothThemes(): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await this.shows();
      found.push(...(await this.accessibility()).map((finding) => `${colorScheme}: ${finding}`));
    }
    return found;
  }

  /** Every finding, however small. */
  async accessibility(): Promise<string[]> {
    // It is half a megabyte, and stays until the page is loaded anew.
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(AxeBuilderSource.source);
    return this.page.evaluate(async () => {
      const axe = (window as unknown as { axe: typeof AxeBuilderSource }).axe;
      const { violations } = await axe.run(document);
      return violations.flatMap((entry) =>
        entry.nodes.map((node) => `${entry.id}: ${node.html.slice(0, 200)}`),
      );
    });
  }
}

/** Text as it is written: a string would be found in any case. */
function having(text: string): { hasText: RegExp } {
  return { hasText: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+")) };
}

interface Worker {
  /** Tests that read all that a page shows name a server here that no other tests use. */
  serverOf: string;
  server: PerdureServer;
  signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

export const test = base.extend<{ person: Person; another: () => Promise<Person> }, Worker>({
  serverOf: ["everyone", { scope: "worker", option: true }],
  server: [
    async ({ serverOf }, use) => {
      const server = await PerdureServer.started(serverOf);
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  signedIn: [
    async ({ browser, server }, use) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(server.link ?? server.url);
      await page.waitForURL(`${server.url}/`);
      const state = await context.storageState();
      await context.close();
      await use(state);
    },
    { scope: "worker" },
  ],
  person: async ({ browser, server, signedIn }, use, info) => {
    const context = await opened(browser, server, signedIn);
    const before = server.log.length;
    const page = await context.newPage();
    if (info.project.name.startsWith("keyboard")) goWithoutPointer(page);
    await use(new Person(page));
    await context.close();
    if (info.status !== info.expectedStatus)
      await info.attach("the server's log", { body: server.log.slice(before), contentType: "text/plain" });
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
