/** axe on every page, in both themes: no finding of any severity. */

import { expect, test } from "./page.ts";

for (const area of ["settings", "admin"] as const) {
  test(`every page of ${area} is accessible in both themes`, async ({ person }) => {
    test.slow();
    await person.page.goto(`/${area}`);
    for (const place of await person.placesOf(area)) {
      await person.goes(place);
      await expect(person.page.getByRole("heading", { level: 2 }).first()).toBeVisible();
      expect([place, await person.findingsInBothThemes()]).toEqual([place, []]);
    }
  });
}

test("a chat and the start are accessible in both themes", async ({ person }) => {
  await person.page.goto("/");
  await expect(person.composer).toBeVisible();
  await person.settles();
  expect(await person.findingsInBothThemes()).toEqual([]);
  await person.startsChat(
    "[[think:**Looking**\n\nat it]][[say:# Title\n\nText with `code`.\n\n```py\nx = 1\n```]]",
  );
  await person.reads("Title");
  await person.seesRest();
  expect(await person.findingsInBothThemes()).toEqual([]);
});

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
  // The styles of a drawing come as a sheet, and count.
  await expect(person.page.locator(".diagram .node rect").first()).not.toHaveCSS("fill", "rgb(0, 0, 0)");
  expect({ foreign, broken }).toEqual({ foreign: [], broken: [] });
});
