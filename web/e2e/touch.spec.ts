/** By finger, on a phone: everything can be hit, and nothing is cut off. */

import type { Browser, BrowserContextOptions } from "@playwright/test";
import { expect, Person, test } from "./page.ts";
import { type Look, throughChat, throughList, throughPlaces, throughQuestions } from "./tour.ts";

const LEAST = 40;

async function onAPhone(
  browser: Browser,
  baseURL: string,
  storageState: BrowserContextOptions["storageState"],
  walk: (person: Person, look: Look) => Promise<void>,
): Promise<void> {
  const viewport = { width: 375, height: 740 };
  const phone = { viewport, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
  const context = await browser.newContext({ ...phone, baseURL, storageState });
  const person = new Person(await context.newPage());
  const found: string[] = [];
  await walk(person, async (place) => {
    await person.shows();
    for (const line of [...(await tooSmall(person)), ...(await cutOff(person))])
      found.push(`${place}: ${line}`);
  });
  await context.close();
  expect(found).toEqual([]);
}

for (const area of ["settings", "admin"] as const) {
  test(`every page of ${area} and its forms can be touched, and fit`, async ({
    browser,
    server,
    signedIn,
  }) => {
    await onAPhone(browser, server.url, signedIn, (person, look) => throughPlaces(person, area, look));
  });
}

test("a chat with all that opens in it can be touched, and fits", async ({ browser, server, signedIn }) => {
  await onAPhone(browser, server.url, signedIn, throughChat);
});

test("what a chat asks for can be touched, and fits", async ({ browser, server, signedIn }) => {
  await onAPhone(browser, server.url, signedIn, throughQuestions);
});

test("the start and the list of the chats can be touched, and fit", async ({ browser, server, signedIn }) => {
  await onAPhone(browser, server.url, signedIn, async (person, look) => {
    await person.startsChat("[[say:hello]]");
    await person.seesAnswer("hello");
    await throughList(person, look);
  });
});

test("the page to sign in can be touched, and fits", async ({ browser, server }) => {
  await onAPhone(browser, server.url, undefined, async (person, look) => {
    await person.page.goto("/");
    await expect(person.page.getByLabel("Password")).toBeVisible();
    await look("sign in");
  });
});

/** What a finger has to hit and is smaller than it is. Links within sentences and lines of a diff are as high as their text. */
function tooSmall(person: Person): Promise<string[]> {
  return person.page.evaluate((least) => {
    const IN_WORDS = ":is(p, li > span, small, .markdown, .given) a";
    const seen = [
      ...document.querySelectorAll<HTMLElement>(
        "button, a[href], input, select, textarea, summary, [role=tab], [role=option], [role=menuitem]",
      ),
    ].filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
    return seen.flatMap((element) => {
      const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
      const other =
        element.matches(IN_WORDS) ||
        element.closest("[inert], .only-spoken, .skip, .diff-comment") ||
        width === 0;
      return other || (width > least - 0.5 && height > least - 0.5)
        ? []
        : [`${Math.round(width)}×${Math.round(height)} ${element.outerHTML.slice(0, 110)}`];
    });
  }, LEAST);
}

/** What stands beyond the edge of the page, and in nothing that can be scrolled to it. */
function cutOff(person: Person): Promise<string[]> {
  return person.page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (/(auto|scroll)/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const beyond = [...document.querySelectorAll("main *, dialog *, [popover] *")].filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      return (
        width > 1 && right > innerWidth + 1 && !scrolls(element.parentElement) && element.checkVisibility()
      );
    });
    const wide = document.documentElement.scrollWidth > innerWidth ? ["the page itself is too wide"] : [];
    return [...wide, ...beyond.map((element) => `cut off: ${element.outerHTML.slice(0, 110)}`)];
  });
}
