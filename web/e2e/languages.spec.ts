/** The page in other languages: every text, its direction, its numbers, and the choice itself. */

import type { Locator } from "@playwright/test";
import { texts } from "../scripts/texts.mjs";
import { expect, type Person, test } from "./page.ts";

// What other tests call their things is in no catalogue.
test.use({ serverOf: "languages" });

async function speaks(person: Person, language: string): Promise<void> {
  await person.page.addInitScript((chosen) => localStorage.setItem("language", chosen), language);
}

/** A catalogue that marks each text it was asked for: what has no mark asked none. */
const MARKED = /⟦.*⟧/s;
async function marks(person: Person): Promise<void> {
  await person.page.route(/\/assets\/de-[^/]*\.js$/, (route) => {
    const messages = Object.fromEntries(texts().map((text) => [text, `⟦${text}⟧`]));
    return route.fulfill({
      contentType: "text/javascript",
      body: `export default ${JSON.stringify(messages)};`,
    });
  });
  await speaks(person, "de");
}

/** What is read or heard on the page, text by text. */
function said(person: Person): Promise<string[]> {
  return person.page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      // What people or programs wrote is in whatever language they wrote it in.
      const written =
        "script, style, code, pre, kbd, .markdown, .approvals-table th .quiet, .audit td:last-child, a[href^='/chats/'], .row-card strong";
      if (!parent || parent.closest(written)) continue;
      // Pieces of a sentence that stand in one place are one text.
      if (/\p{L}{2}/u.test(node.nodeValue ?? "")) found.add((parent.textContent ?? "").trim());
    }
    for (const element of document.querySelectorAll(
      "[aria-label], [title]:not(.audit td), [placeholder], [alt]",
    ))
      for (const name of ["aria-label", "title", "placeholder", "alt"]) {
        const words = element.getAttribute(name);
        if (words && /\p{L}{2}/u.test(words)) found.add(words);
      }
    return [...found];
  });
}

for (const area of ["settings", "admin"] as const) {
  test(`no text of ${area} escapes the catalogue`, async ({ person }) => {
    test.slow();
    await marks(person);
    await person.page.goto(`/${area}`);
    for (const name of await person.placesOf(area)) {
      await person.goes(name);
      await expect(person.page.getByRole("heading", { level: 2 }).first()).toBeVisible();
      const words = (await said(person)).filter((text) => !MARKED.test(text) && !isData(text));
      expect([name, words]).toEqual([name, []]);
    }
  });
}

test("no text of a chat escapes the catalogue", async ({ person }) => {
  await marks(person);
  await person.page.goto("/");
  const box = person.page.getByRole("textbox", { name: "⟦Message⟧", exact: true });
  await box.fill("[[think:**Looking**\n\nat it]][[say:Done.]]");
  await box.press("Enter");
  await expect(person.page.getByRole("button", { name: "⟦Copy answer⟧" })).toBeVisible();
  await person.settles();
  const own = /^\[\[think|^Looking|Done\.|demo|^\d/;
  expect(
    (await said(person)).filter((text) => !MARKED.test(text) && !isData(text) && !own.test(text)),
  ).toEqual([]);
});

/** Names, addresses, and what the server wrote. */
function isData(text: string): boolean {
  return NAMES.has(text) || /^https?:|^Mozilla|^\S+@\S+$/.test(text) || DAY.test(text);
}
/** A day as the browser writes it in the language, alone or with a number. */
const DAY = /^\d{1,2}\. \p{L}+\.?(: [\d.,]+)?$/u;
const NAMES = new Set([
  ...["Owner", "owner@localhost"],
  ...["Perdure", "Demo agent", "demo", "English", "Deutsch", "العربية"],
  ...["Anthropic", "OpenAI", "Google Gemini", "OpenRouter", "Ollama", "Azure OpenAI", "Amazon Bedrock"],
  ...["Google Vertex AI", "OpenAI API", "AI SDK", "AG-UI", "MCP", "Agent Client Protocol", "REST API"],
  // The templates that the server brings, and the title that the simulator gives.
  ...["blank", "local", "python", "node", "git", "A new chat"],
  "An empty workspace without network.",
  "Python with a virtual environment of its own, and network.",
  "Node.js with a place for global packages, and network.",
  "A clone of a git repository, with network.",
]);

test("somebody chooses a language, and everything is in it from then on", async ({ person }) => {
  await person.page.goto("/settings/profile");
  await person.page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
  await expect(person.page.getByRole("heading", { name: "Darstellung" })).toBeVisible();
  await expect(person.page.locator("html")).toHaveAttribute("lang", "de");
  await person.page.goto("/");
  const box = person.page.getByRole("textbox", { name: "Nachricht" });
  await box.fill("[[say:Fertig.]]");
  await box.press("Enter");
  await expect(person.page.getByRole("button", { name: "Antwort kopieren" })).toBeVisible();
  // A decimal comma, and the dollar where German has it.
  await person.page.goto("/settings/usage");
  await expect(person.page.locator(".budget")).toContainText(/\d(,\d+)?\s\$ ausgegeben/);
  expect(await person.accessibility()).toEqual([]);
});

test("Arabic begins at the right, and programs stay as they are", async ({ person }) => {
  await speaks(person, "ar");
  await person.page.goto("/");
  await expect(person.page.locator("html")).toHaveAttribute("dir", "rtl");
  const box = person.page.getByRole("textbox", { name: "رسالة" });
  await box.fill("[[say:مرحبا\n\n```py\nprint(1)\n```\n]]");
  await box.press("Enter");
  await expect(person.page.getByRole("button", { name: "نسخ الإجابة" })).toBeVisible();
  const side = await person.page.getByRole("complementary").first().boundingBox();
  const talk = await person.page.getByRole("log").boundingBox();
  expect(side?.x).toBeGreaterThan((talk?.x ?? 0) + 100);
  await expect(person.page.locator("pre").first()).toHaveCSS("direction", "ltr");
  expect(await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  expect(await person.findingsInBothThemes()).toEqual([]);
});

test("in a page that begins at the right, formulas, programs and words of others stay as they were written", async ({
  person,
}) => {
  const { page } = person;
  await speaks(person, "ar");
  await page.goto("/");
  const question = { question: "Which way?", options: [{ label: "That way.", description: "Short." }] };
  const call = `[[call:ask_user_question ${JSON.stringify({ questions: [question] })}]]`;
  const table = "| First | Second |\n|---|---|\n| a | b |";
  const { chat } = await person.asks<{ chat: { id: string } }>("POST", "/chats", {
    content: [{ type: "text", text: `[[say:$$x^2 = \\frac{1}{3}$$\n\n${table}\n]]${call}` }],
    plan_mode: true,
  });
  await page.goto(`/chats/${chat.id}`);
  await person.seesRest();
  const left = async (locator: Locator) => (await locator.boundingBox())?.x ?? Number.NaN;
  const formula = page.locator(".katex-display .katex-html");
  await expect(formula).toBeVisible();
  expect(await left(formula.locator(".mathnormal"))).toBeLessThan(await left(formula.locator(".mfrac")));
  const heads = page.locator(".markdown th");
  expect(await left(heads.nth(0))).toBeLessThan(await left(heads.nth(1)));
  // A full stop ends its sentence at the side where English ends, though the card begins at the right.
  const ends = await page.locator(".option strong").evaluate((words) => {
    const range = document.createRange();
    const text = words.firstChild as Text;
    range.setStart(text, text.length - 1);
    range.setEnd(text, text.length);
    return range.getBoundingClientRect().right - words.getBoundingClientRect().left;
  });
  expect(ends).toBeGreaterThan(20);
  await person.goes("/admin/advisor");
  const knob = page.getByRole("switch").first();
  for (const checked of [true, false]) {
    await knob.setChecked(checked);
    await person.shows();
    const { box, shift } = await knob.evaluate((element) => ({
      box: element.clientWidth,
      shift: Number.parseFloat(getComputedStyle(element, "::after").translate) || 0,
    }));
    // From the right, where it begins.
    expect(Math.abs(shift)).toBeLessThan(box);
    expect(shift).toBeLessThanOrEqual(0);
  }
});

test("who has chosen nothing is spoken to as the browser says", async ({ browser, server }) => {
  const context = await browser.newContext({ baseURL: server.url, locale: "de-AT" });
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Anmelden" })).toBeVisible();
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("العربية");
  await expect(page.getByRole("button", { name: "تسجيل الدخول" })).toBeVisible();
  await context.close();
});
