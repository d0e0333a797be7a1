/** axe on every page and on all that opens there, in both themes: no finding of any severity. */

import { expect, type Person, test } from "./page.ts";
import { type Look, throughChat, throughList, throughPlaces, throughQuestions } from "./tour.ts";

/** Says where something was found, of all that was looked at. */
async function findsNothing(
  person: Person,
  walk: (person: Person, look: Look) => Promise<void>,
): Promise<void> {
  const found: string[] = [];
  await walk(person, async (place) => {
    await person.settles();
    for (const finding of await person.findingsInBothThemes()) found.push(`${place}, ${finding}`);
  });
  expect(found).toEqual([]);
}

for (const area of ["settings", "admin"] as const) {
  test(`every page of ${area} and its forms are accessible in both themes`, async ({ person }) => {
    test.slow();
    await findsNothing(person, (person, look) => throughPlaces(person, area, look));
  });
}

test("a chat and all that opens in it are accessible in both themes", async ({ person }) => {
  test.slow();
  await findsNothing(person, throughChat);
});

test("what a chat asks for is accessible in both themes", async ({ person }) => {
  test.slow();
  await findsNothing(person, throughQuestions);
});

test("the start and the list of the chats are accessible in both themes", async ({ person }) => {
  test.slow();
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await findsNothing(person, throughList);
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
