/** Every place of the page one after the other, and what opens there: for tests that hold a rule everywhere. */

import type { Locator } from "@playwright/test";
import { expect, type Person } from "./page.ts";

/** What is looked at in a place. Its name says where something was found. */
export type Look = (place: string) => Promise<void>;

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';
const call = (tool: string, given: object) => `[[call:${tool} ${JSON.stringify(given)}]]`;
const ANSWER =
  "# Title\n\nText with `code` and a [link](https://example.org/).\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";

/** Every page of the settings, and the forms that their buttons open. */
export async function throughPlaces(person: Person, area: "settings" | "admin", look: Look): Promise<void> {
  await person.page.goto(`/${area}`);
  for (const place of await person.placesOf(area)) {
    await person.goes(place);
    await expect(person.page.getByRole("heading", { level: 1 })).toHaveCount(1);
    await look(place);
    const opens = person.page.locator(".settings-body header .button:visible").filter({ hasText: /^\s*Add/ });
    for (const button of await opens.all()) {
      await button.click();
      const dialog = person.page.getByRole("dialog");
      if (await dialog.isVisible()) {
        await person.settles();
        await look(`${place}: ${await dialog.getByRole("heading").first().textContent()}`);
        await dialog.getByRole("button", { name: "Close" }).first().click();
        await expect(dialog).toHaveCount(0);
      }
    }
  }
}

/** A chat in which there is something of each kind, with all that opens in it. */
export async function throughChat(person: Person, look: Look): Promise<void> {
  const { page, transcript } = person;
  await person.startsChat(
    `[[think:**Looking around**\n\nThere are files.]]${WORKSPACE}${call("write_file", { path: "a.md", content: "# One\n" })}${call("execute", { command: "echo one" })}[[then]][[say:${ANSWER}]]`,
  );
  await person.seesAnswer("Title");
  await look("a chat");
  await transcript.getByRole("button", { name: /^Worked/ }).click();
  const folded = transcript.locator(".tool-line[aria-expanded=false]");
  while (await folded.count()) await folded.first().click();
  await look("what was done");
  await transcript.getByRole("button", { name: "Edit message" }).click();
  await look("editing a message");
  await page.keyboard.press("Escape");
  await menu(person, page.getByRole("button", { name: /^Model:/ }), look);
  await menu(person, page.getByRole("button", { name: /^Context:/ }), look);
  await menu(person, page.getByRole("button", { name: "Chat actions" }), look);
  for (const [item, title] of [
    ["Share", "Share"],
    ["Tools", "Tools of this chat"],
  ] as const) {
    await page.getByRole("button", { name: "Chat actions" }).click();
    await page.getByRole("menuitem", { name: new RegExp(`^${item}`) }).click();
    const dialog = page.getByRole("dialog", { name: title });
    await expect(dialog).toBeVisible();
    await person.settles();
    await look(title);
    await dialog.getByRole("button", { name: "Close" }).click();
  }
  await throughPanel(person, look);
}

async function throughPanel(person: Person, look: Look): Promise<void> {
  const { page } = person;
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await person.settles();
    await look(`panel: ${await tab.textContent()}`);
  }
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByRole("button", { name: "Comment on line 1" }).first().click();
  await look("a comment on a line");
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("tabpanel", { name: "Files" }).getByRole("button", { name: /a\.md/ }).click();
  await expect(page.getByRole("heading", { name: "One" })).toBeVisible();
  await look("a file");
  await page.getByRole("button", { name: "Close the panel" }).click();
}

/** What a chat asks for: decisions, answers, and what to do about an error. */
export async function throughQuestions(person: Person, look: Look): Promise<void> {
  await person.page.goto("/");
  const questions = [
    { question: "Which?", options: [{ label: "Red" }, { label: "Blue", description: "Calm." }] },
  ];
  await person.page.getByRole("button", { name: "Plan", exact: true }).click();
  await person.says(call("ask_user_question", { questions }));
  await person.reads("Which?");
  await person.seesRest();
  await look("a question");
  await person.startsChat(`${WORKSPACE}[[say:ready]]`);
  await person.seesAnswer("ready");
  const chat = new URL(person.page.url()).pathname;
  await person.asks("PATCH", chat, { approvals: { write_file: "ask", execute: "ask" } });
  await person.says(
    `${call("write_file", { path: "a.txt", content: "one\n" })}${call("execute", { command: "echo one" })}`,
  );
  await expect(person.page.getByRole("group", { name: "Decide all at once" })).toBeVisible();
  await look("decisions");
  await person.startsChat("[[fault:401]]");
  await expect(person.page.getByRole("region", { name: "Error" })).toBeVisible();
  await look("an error");
}

async function menu(person: Person, button: Locator, look: Look): Promise<void> {
  const name = (await button.textContent()) || (await button.getAttribute("aria-label")) || "";
  await button.click();
  await expect(person.page.locator(".menu:popover-open")).toBeVisible();
  await person.settles();
  await look(`menu: ${name}`);
  await person.page.keyboard.press("Escape");
}

/** The list of the chats and what stands above it: in a drawer on a phone. */
export async function throughList(person: Person, look: Look): Promise<void> {
  const { page } = person;
  await page.goto("/");
  await expect(person.composer).toBeVisible();
  await person.settles();
  await look("the start");
  const drawer = page.getByRole("button", { name: "Chats", exact: true });
  if (await drawer.isVisible()) await drawer.click();
  await expect(page.getByRole("navigation", { name: "Chats" })).toBeVisible();
  await person.settles();
  await look("the chats");
  await menu(person, page.getByRole("button", { name: /^Inbox/ }), look);
  await menu(person, page.getByRole("button", { name: "You", exact: true }), look);
  await menu(person, page.getByRole("button", { name: /^Filter chats/ }), look);
  await menu(person, page.getByRole("button", { name: /^Actions for/ }).first(), look);
  await page.getByRole("button", { name: "Select chats" }).click();
  await page
    .getByRole("checkbox", { name: /^Select/ })
    .first()
    .check();
  await look("chats selected");
  await page.getByRole("button", { name: "Label selected" }).click();
  await look("labels of chats");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Stop selecting" }).click();
  await page.getByRole("button", { name: "Search chats" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await person.settles();
  await look("the palette");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+/");
  await page.goto("/no/such/page");
  await expect(page.getByText("Page not found")).toBeVisible();
  await look("an unknown address");
}
