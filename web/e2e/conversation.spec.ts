/** The conversation, end to end: the real server, the simulated model, a real browser. */

import { expect, test } from "./page.ts";

test("a message is answered, and the answer streams", async ({ person }) => {
  await person.startsChat(
    "[[say:Hello there, this is an answer]][[gate:stream]][[say:that arrives in full.]]",
  );
  await person.reads("Hello there, this is an answer");
  await expect(person.page.locator(".phase")).toHaveAttribute("data-phase", "streaming");
  await person.opens("stream");
  await person.reads("that arrives in full.");
  await person.seesRest();
  await expect(person.page.locator(".turn-facts")).toBeVisible();
});

test("markdown becomes what it means, and HTML that could do something stays text", async ({ person }) => {
  await person.startsChat("[[say:# A title\n\n- one\n- two\n\n`code` and <form>bold</form>]]");
  await person.seesRest();
  await expect(person.transcript.getByRole("heading", { name: "A title" })).toBeVisible();
  await expect(person.transcript.locator(".markdown li")).toHaveCount(2);
  await expect(person.transcript.locator(".markdown form")).toHaveCount(0);
  await expect(person.transcript.getByRole("heading", { name: "A title" }).locator("..")).toContainText(
    "<form>bold</form>",
  );
});

test("what is said while it works waits in the queue, and runs afterwards", async ({ person }) => {
  await person.startsChat("[[say:the old sea]][[gate:queue]][[say:was far]]");
  await person.reads("the old sea");
  await person.says("[[say:the second answer]]");
  await expect(person.page.getByRole("region", { name: "Queue" })).toContainText("1 message in the queue");
  await person.opens("queue");
  await person.reads("the second answer");
  await expect(person.page.getByRole("region", { name: "Queue" })).toHaveCount(0);
});

test("a queued message can be edited, moved, sent now and deleted", async ({ person }) => {
  await person.startsChat("[[say:the old sea]][[gate:never]]");
  await person.reads("the old sea");
  for (const word of ["first", "second", "third"]) await person.says(`[[say:${word}]]`);
  const queue = person.page.getByRole("region", { name: "Queue" });
  const waiting = (word: string) => queue.locator(".queue-item", { hasText: word });
  await expect(queue.locator(".queue-item")).toHaveCount(3);
  await waiting("first").locator(".grip").press("ArrowDown");
  await expect(queue.locator(".queue-item").first()).toContainText("second");
  await waiting("third").getByRole("button", { name: "Delete queued message" }).click();
  await expect(queue.locator(".queue-item")).toHaveCount(2);
  await waiting("second").getByRole("button", { name: "Edit queued message" }).click();
  await person.page.getByRole("textbox", { name: "Queued message" }).fill("[[say:edited words]]");
  await person.page.getByRole("textbox", { name: "Queued message" }).press("Enter");
  await expect(queue.locator(".queue-item").first()).toContainText("edited words");
  await waiting("edited words").getByRole("button", { name: "Send now" }).click();
  await person.reads("edited words");
});

test("an interrupted turn keeps its partial answer, says so, and goes on", async ({ person }) => {
  await person.startsChat("[[say:the old sea]][[gate:never]]");
  await person.reads("the old sea");
  await person.page.getByRole("button", { name: "Stop", exact: true }).click();
  await person.reads("Interrupted");
  await person.reads("the old sea");
  await person.page.getByRole("button", { name: "Continue", exact: true }).click();
  await person.hasSaid("Continue.");
  await person.seesRest();
});

test("interrupting by message stops the turn and answers at once", async ({ person }) => {
  await person.startsChat("[[say:the old sea]][[gate:never]]");
  await person.reads("the old sea");
  await person.says("[[say:done instead]]", "Control+Alt+Enter");
  await person.reads("Interrupted");
  await person.reads("done instead");
});

test("an edited message keeps its versions: one can be read, left, and gone on from", async ({ person }) => {
  await person.startsChat("[[say:the first version]]");
  await person.reads("the first version");
  await person.seesRest();
  await person.page.getByRole("button", { name: "Edit message" }).click();
  await person.page.getByRole("textbox", { name: "Edit message" }).fill("[[say:the new version]]");
  await person.page.getByRole("textbox", { name: "Edit message" }).press("Control+Enter");
  await person.reads("the new version");
  await expect(person.transcript).not.toContainText("the first version");
  await person.seesRest();
  await person.page.getByRole("button", { name: "Earlier version" }).click();
  await person.reads("the first version");
  await expect(person.page).toHaveURL(/\?version=\d+$/);
  await person.page.reload();
  await person.reads("the first version");
  await expect(person.transcript).not.toContainText("the new version");
  await expect(person.composer).toHaveCount(0);
  await person.page.getByRole("button", { name: "Back to the latest version" }).click();
  await expect(person.page).not.toHaveURL(/version/);
  await person.reads("the new version");
  await expect(person.composer).toBeVisible();
  await person.page.getByRole("button", { name: "Earlier version" }).click();
  const before = person.page.url();
  await person.page.getByRole("button", { name: "Continue in a new chat" }).click();
  await person.page.waitForURL((url) => url.href !== before);
  await person.reads("the first version");
  await person.says("[[say:further on]]");
  await person.reads("further on");
});

test("a failing provider is retried with a countdown, or at once", async ({ person }) => {
  await person.startsChat("[[fault:overloaded x1 retry_after=50]][[say:back again]]");
  await expect(person.page.locator(".phase")).toContainText(/Retrying in \d+s/);
  await person.page.getByRole("button", { name: "Retry now" }).click();
  await person.reads("back again");
});

test("an error says what to do, and Retry does it", async ({ person }) => {
  await person.startsChat("[[fault:auth x1]][[say:it works now]]");
  await expect(person.page.getByRole("region", { name: "Error" })).toBeVisible();
  await person.page.getByRole("button", { name: "Retry", exact: true }).click();
  await person.reads("it works now");
});

test("two tabs stay equal", async ({ person, another }) => {
  await person.startsChat("[[rate:40]][[say:shared words for both tabs to see]]");
  const second = await another();
  await second.page.goto(person.page.url());
  await second.reads("shared words for both tabs to see");
  await second.says("[[say:from the second tab]]");
  await person.reads("from the second tab");
  await person.seesRest();
  await second.seesAnswer("from the second tab");
  // What is added when a turn is over, such as how long it took, may come to one of them a moment later.
  await expect(async () => {
    expect(await second.transcript.innerText()).toBe(await person.transcript.innerText());
  }).toPass();
});

test("a draft survives a reload", async ({ person }) => {
  await person.startsChat("[[say:hello]]");
  await person.seesAnswer("hello");
  await person.composer.fill("half a thought");
  await person.page.reload();
  await expect(person.composer).toHaveValue("half a thought");
});

test("what was said before comes back with the arrow key", async ({ person }) => {
  await person.startsChat("[[say:one]]");
  await person.seesAnswer("one");
  await person.composer.press("ArrowUp");
  await expect(person.composer).toHaveValue("[[say:one]]");
});

test("a phone is enough", async ({ person }) => {
  await person.page.setViewportSize({ width: 375, height: 740 });
  await person.startsChat("[[say:the old sea]][[gate:never]]");
  await person.reads("the old sea");
  await person.page.getByRole("button", { name: "Stop", exact: true }).click();
  await person.reads("Interrupted");
  await person.page.getByRole("button", { name: "Chats" }).click();
  await expect(person.page.getByRole("navigation", { name: "Chats" })).toBeVisible();
  const wide = await person.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
});

test("the keyboard is enough", async ({ person }) => {
  await person.page.goto("/");
  await expect(person.composer).toBeVisible();
  await person.page.keyboard.press("Control+k");
  await person.page.keyboard.type("New chat");
  await person.page.keyboard.press("Enter");
  await expect(person.composer).toBeFocused();
  await expect(person.composer).toHaveValue("");
  await person.composer.focus();
  await person.page.keyboard.type("[[say:the old sea]][[gate:never]]");
  await person.page.keyboard.press("Enter");
  await person.reads("the old sea");
  await person.page.keyboard.press("Escape");
  await person.reads("Interrupted");
  await person.page.keyboard.press("?");
  await person.composer.blur();
  await person.page.keyboard.press("?");
  await expect(person.page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
});
