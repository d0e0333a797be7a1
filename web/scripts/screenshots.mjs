// Pictures for the README and the guides, taken from the running product: node scripts/screenshots.mjs [folder]
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { PerdureServer } from "../e2e/server.mjs";

const out = process.argv[2] ?? fileURLToPath(new URL("../../docs/pictures", import.meta.url));
mkdirSync(out, { recursive: true });
const server = await PerdureServer.started();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: server.url });
const page = await context.newPage();
await page.goto(server.link);
await page.getByRole("heading", { name: "What shall we work on?" }).waitFor();

const rest = () => page.locator('.phase[data-phase="idle"]').waitFor({ timeout: 120_000 });
async function ask(words) {
  await page.goto("/");
  await page.getByRole("combobox", { name: "Message" }).fill(words);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/chats\//);
}
async function picture(name, { theme = "light", settle = 800 } = {}) {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForTimeout(settle);
  await page.screenshot({ path: `${out}/${name}.png` });
  console.log(`${out}/${name}.png`);
}

await picture("welcome");
for (const words of [
  "What can you do?",
  "What happens when the server crashes?",
  "Write a fibonacci program with a test.",
]) {
  await ask(words);
  await rest();
}
await ask("Build me a word count program, and test it.");
await page
  .getByText(/Ran python3/)
  .first()
  .waitFor({ timeout: 60_000 });
await page.getByRole("combobox", { name: "Message" }).fill("Then explain how it splits words.");
await page.keyboard.press("Enter");
await picture("working", { settle: 300 });
await rest();
await page.waitForTimeout(500);
await rest();
const edited = page.getByRole("button", { name: /Edited/ }).first();
if (await edited.isVisible().catch(() => false)) await edited.click();
await picture("conversation");
await picture("conversation-dark", { theme: "dark" });
await page.getByRole("button", { name: "Panel" }).click();
await picture("panel");
await picture("panel-dark", { theme: "dark" });
await page.getByRole("button", { name: "Close the panel" }).click();
await page.setViewportSize({ width: 375, height: 740 });
await picture("phone");
await picture("phone-dark", { theme: "dark" });
await page.setViewportSize({ width: 1440, height: 900 });
for (const place of ["providers", "models", "usage"]) {
  await page.goto(`/admin/${place}`);
  await picture(place);
}
await browser.close();
await server.stop();
