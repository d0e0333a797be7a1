/** axe on every page, in both themes: nothing serious. */

import { expect, test } from "./page.ts";

const PAGES = [
  "/",
  "/settings/profile",
  "/settings/prompt",
  "/settings/tokens",
  "/admin/providers",
  "/admin/models",
  "/admin/prompts",
  "/admin/users",
  "/admin/budgets",
  "/admin/usage",
  "/admin/audit",
];

for (const theme of ["light", "dark"] as const) {
  test(`every page is accessible in the ${theme} theme`, async ({ person }) => {
    await person.page.emulateMedia({ colorScheme: theme });
    for (const path of PAGES) {
      await person.page.goto(path);
      await person.page.waitForLoadState("networkidle");
      expect([path, await person.accessibility()]).toEqual([path, []]);
    }
    await person.startsChat(
      "[[think:**Looking**\n\nat it]][[say:# Title\n\nText with `code`.\n\n```py\nx = 1\n```]]",
    );
    await person.seesRest();
    expect(await person.accessibility()).toEqual([]);
  });
}

test("the page asks nobody but its own server, and breaks no policy", async ({ person, server }) => {
  const foreign: string[] = [];
  const broken: string[] = [];
  person.page.on("request", (request) => {
    if (
      !request.url().startsWith(server.url) &&
      !request.url().startsWith("data:") &&
      !request.url().startsWith("blob:")
    )
      foreign.push(request.url());
  });
  person.page.on("console", (line) => {
    if (/Content Security Policy/i.test(line.text())) broken.push(line.text());
  });
  await person.startsChat(
    "[[say:$x^2$ and ![p](https://example.org/p.png)\n\n```mermaid\ngraph TD; A-->B\n```\n]]",
  );
  await person.seesRest();
  await expect(person.page.locator(".diagram svg")).toBeVisible();
  await expect(person.page.locator(".katex").first()).toBeVisible();
  expect({ foreign, broken }).toEqual({ foreign: [], broken: [] });
});

test("the page needs no inline styles: a policy without them breaks nothing", async ({ person }) => {
  const broken: string[] = [];
  person.page.on("console", (line) => {
    if (/Content Security Policy/i.test(line.text())) broken.push(line.text().slice(0, 300));
  });
  await person.page.route(/\/(chats\/.*)?$/, async (route) => {
    if (route.request().resourceType() !== "document") return route.fallback();
    const response = await route.fetch();
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'";
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await person.startsChat(
    "[[say:$x^2$ and\n\n```mermaid\ngraph TD; A-->B\n```\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n]]",
  );
  await person.seesRest();
  await expect(person.page.locator(".katex").first()).toBeVisible();
  await expect(person.page.locator(".diagram svg")).toBeVisible();
  // The diagram library tries inline styles and is refused; its rules are adopted another way.
  expect(broken.filter((line) => !/applying inline style/i.test(line))).toEqual([]);
});
