/** A shell in the workspace, from the page. */

import { expect, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]][[say:ready]]';

test("a terminal shows what its shell prints, and a reload comes back to the same shell", async ({
  person,
}) => {
  const { page } = person;
  const refused: string[] = [];
  page.on("console", (line) => {
    if (/Content Security Policy/i.test(line.text())) refused.push(line.text());
  });
  await person.startsChat(WORKSPACE);
  await person.reads("ready");
  await person.seesRest();
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Terminal" }).click();
  const screen = page.locator(".xterm-rows");
  await page.locator(".xterm").click();
  await expect(screen).toContainText("$");
  await page.keyboard.type("kept=40; echo first-$((kept + 2))\n");
  await expect(screen).toContainText("first-42");
  await page.keyboard.type("printf '\\033[38;2;10;200;30mgreen\\033[0m\\n'\n");
  // Colours come as style attributes, which the policy refuses: they are set by code instead.
  const green = screen.locator("span", { hasText: /^green$/ });
  await expect(green.last()).toHaveCSS("color", "rgb(10, 200, 30)");
  await page.reload();
  await expect(screen).toContainText("first-42");
  await page.locator(".xterm").click();
  await page.keyboard.type("echo second-$((kept + 3))\n");
  await expect(screen).toContainText("second-43");
  // Tab is the shell's; whoever has no pointer is not kept there.
  await expect(page.locator(".xterm textarea")).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(".xterm textarea")).not.toBeFocused();
  expect(refused).toEqual([]);
});

test("a shell that ends says so, and another can be opened", async ({ person }) => {
  const { page } = person;
  await person.startsChat(WORKSPACE);
  await person.reads("ready");
  await person.seesRest();
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByRole("tab", { name: "Terminal" }).click();
  await page.locator(".xterm").click();
  await expect(page.locator(".xterm-rows")).toContainText("$");
  await page.keyboard.type("exit\n");
  await page.getByRole("button", { name: "Open a new shell" }).click();
  await page.locator(".xterm").click();
  await page.keyboard.type("echo new-$((1 + 1))\n");
  await expect(page.locator(".xterm-rows")).toContainText("new-2");
});
