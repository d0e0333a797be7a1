/** Finding one's way in long chats, end to end: search, find, questions, the start. */

import { expect, type Person, test } from "./page.ts";

/** A chat of so many turns, made without waiting for each to be drawn. */
async function longChat(person: Person, turns: number, said: (turn: number) => string): Promise<string> {
  test.slow();
  await person.startsChat(said(1));
  await person.seesRest();
  const id = new URL(person.page.url()).pathname.split("/").at(-1) ?? "";
  for (let turn = 2; turn <= turns; turn++) {
    await person.asks("POST", `/chats/${id}/messages`, { content: [{ type: "text", text: said(turn) }] });
  }
  const last = person.transcript.locator(".row-text", { hasText: `number ${turns}.` });
  // Each turn waits for the one before it.
  await expect(last).toBeVisible({ timeout: 180_000 });
  await person.seesRest();
  return id;
}

const numbered = (turn: number) => `[[say:This is answer number ${turn}.]]`;

/** How many places are marked, and how many of them in the row that was gone to. */
const marks = (person: Person) =>
  person.page.evaluate(() => ["found", "found-here"].map((name) => CSS.highlights.get(name)?.size ?? 0));

test("a search leads to the message that it found, far back, with its words marked", async ({ person }) => {
  await longChat(person, 90, (turn) =>
    turn === 3 ? "[[say:The walrus sleeps on the third floor.]]" : numbered(turn),
  );
  await person.page.goto("/");
  await expect(person.page.getByRole("button", { name: "Search chats" })).toBeVisible();
  await person.page.keyboard.press("Control+k");
  const palette = person.page.getByRole("dialog", { name: "Search" });
  const hit = palette.getByRole("option").filter({ hasText: "walrus sleeps" });
  await expect(async () => {
    await palette.getByRole("combobox").fill("");
    await palette.getByRole("combobox").fill("walrus floor");
    await expect(hit).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await hit.click();
  await expect(person.page).toHaveURL(/message=\d+&words=walrus/);
  const found = person.transcript.locator(".row-text", { hasText: "walrus sleeps" });
  await expect(found).toBeInViewport();
  await expect.poll(() => marks(person)).toEqual([expect.any(Number), 2]);
  await person.page.getByRole("button", { name: "Scroll to the latest message" }).click();
  await expect(person.transcript.getByText("number 90.", { exact: false }).last()).toBeInViewport();
});

test("find in the chat sees what is not on the page, steps through it, and leaves", async ({ person }) => {
  await longChat(person, 80, (turn) =>
    turn % 39 === 2 ? `[[say:A heron, number ${turn}.]]` : numbered(turn),
  );
  await person.page.reload();
  await person.reads("number 80.");
  await person.page.keyboard.press("Control+f");
  const box = person.page.getByRole("textbox", { name: "Find in this chat" });
  await box.fill("a HERON");
  const count = person.page.locator(".find-count");
  await expect(count).toHaveText(/^[56] of 6$/);
  const shown = (turn: number) =>
    person.transcript.locator(".row-text", { hasText: `heron, number ${turn}.` });
  // It begins with what is seen: the question and the answer at the end.
  await expect(async () => {
    await box.press("Enter");
    await expect(count).toHaveText("1 of 6", { timeout: 1_000 });
  }).toPass();
  await expect(person.transcript.locator(".row-user", { hasText: "heron, number 2." })).toBeInViewport();
  await box.press("Enter");
  await expect(count).toHaveText("2 of 6");
  await expect(shown(2)).toBeInViewport();
  await expect.poll(async () => (await marks(person))[1]).toBe(1);
  await box.press("Shift+Enter");
  await box.press("Shift+Enter");
  await expect(count).toHaveText("6 of 6");
  await expect(shown(80)).toBeInViewport();
  await box.fill("no such bird");
  await expect(count).toHaveText("No results");
  await box.press("Escape");
  await expect(box).toHaveCount(0);
  await expect.poll(() => marks(person)).toEqual([0, 0]);
});

test("what a tool was given and gave is found, and opened", async ({ person }) => {
  await person.startsChat(
    '[[call:create_workspace {"template": "blank"}]][[then]][[call:execute {"command": "echo pelican"}]][[then]][[say:Done.]]',
  );
  await person.seesAnswer("Done.");
  await person.page.keyboard.press("Control+f");
  await person.page.getByRole("textbox", { name: "Find in this chat" }).fill("echo pelican");
  await person.page.getByRole("textbox", { name: "Find in this chat" }).press("Enter");
  await expect(person.transcript.locator(".tool-body", { hasText: "pelican" })).toBeInViewport();
});

test("questions are gone through by keys and buttons, and Home leads to the very start", async ({
  person,
}) => {
  await longChat(person, 70, numbered);
  await person.page.reload();
  await person.reads("number 70.");
  const question = (turn: number) => person.transcript.locator(".row-user", { hasText: `number ${turn}.` });
  await person.page.keyboard.press("Home");
  await expect(question(1)).toBeInViewport();
  await expect(question(70)).toHaveCount(0);
  await person.page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => topOf(person)).toContain("number 2.");
  await person.page.getByRole("button", { name: "Next question" }).click();
  await expect.poll(() => topOf(person)).toContain("number 3.");
  await person.page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => topOf(person)).toContain("number 2.");
  await person.page.keyboard.press("End");
  await expect(person.transcript.locator(".row-text", { hasText: "number 70." })).toBeInViewport();
  await person.says(numbered(71));
  await expect(person.transcript.locator(".row-text", { hasText: "number 71." })).toBeInViewport();
  // Whoever says something far back is brought to it.
  await person.page.getByRole("button", { name: "Start of the chat" }).click();
  await expect(question(1)).toBeInViewport();
  await person.says(numbered(72));
  await expect(person.transcript.locator(".row-text", { hasText: "number 72." })).toBeInViewport();
});

/** The question that stands at the top of what is seen. */
function topOf(person: Person): Promise<string> {
  return person.page.evaluate(() => {
    const frame = document.querySelector(".transcript")?.getBoundingClientRect();
    const rows = [...document.querySelectorAll(".row-user")];
    return rows.find((row) => row.getBoundingClientRect().bottom > (frame?.top ?? 0) + 20)?.textContent ?? "";
  });
}

test("scrolling down from far back meets the end, and nothing is missing", async ({ person }) => {
  await longChat(person, 75, numbered);
  await person.page.reload();
  await person.reads("number 75.");
  await person.page.keyboard.press("Home");
  await expect(person.transcript.locator(".row-text", { hasText: "number 1." })).toBeInViewport();
  const seen = new Set<number>();
  await person.transcript.hover();
  await expect(async () => {
    for (const row of await person.transcript.locator(".row-text").allTextContents())
      seen.add(Number(/number (\d+)/.exec(row)?.[1]));
    await person.page.mouse.wheel(0, 500);
    expect(seen.size).toBe(75);
  }).toPass({ intervals: [30], timeout: 90_000 });
});

test("a chat whose last card is taller than the page opens at its end", async ({ person }) => {
  const steps = Array.from({ length: 40 }, (_, at) => `${at + 1}. Step`).join("\n");
  const plan = JSON.stringify({ title: "A long plan", plan: `## Steps\n\n${steps}` });
  await person.page.goto("/");
  await person.page.getByRole("button", { name: "Plan", exact: true }).click();
  await person.says(`[[call:propose_plan ${plan}]]`);
  await person.page.waitForURL(/\/chats\//);
  await person.reads("Step");
  await person.seesRest();
  await person.page.reload();
  await expect(person.transcript.getByRole("button", { name: "Implement" })).toBeInViewport();
});
