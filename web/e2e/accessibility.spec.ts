/** axe on every page, in both themes: nothing serious. */

import { expect, test } from "./page.ts";

const PAGES = [
  "/",
  "/settings/profile",
  "/settings/prompt",
  "/settings/notifications",
  "/settings/skills",
  "/settings/workspaces",
  "/settings/mcp",
  "/settings/keys",
  "/settings/tokens",
  "/admin/providers",
  "/admin/models",
  "/admin/prompts",
  "/admin/advisor",
  "/admin/mcp",
  "/admin/hooks",
  "/admin/templates",
  "/admin/policies",
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
  // The diagram library tries inline styles and is refused; its rules are adopted as sheets, and count.
  await expect(person.page.locator(".diagram .node rect").first()).not.toHaveCSS("fill", "rgb(0, 0, 0)");
  const other = broken.filter((line) => !/applying inline style/i.test(line));
  expect({ foreign, other }).toEqual({ foreign: [], other: [] });
});
