// Pictures for the README and the guides, taken from the running product: node scripts/screenshots.mjs [folder]
// With --all as well: every place in both themes, wide and on a phone, for those who want to look at them.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { PerdureServer } from "../e2e/server.mjs";

const all = process.argv.includes("--all");
const out =
  process.argv.slice(2).find((word) => word !== "--all") ??
  fileURLToPath(new URL("../../docs/pictures", import.meta.url));
mkdirSync(out, { recursive: true });
const server = await PerdureServer.started();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: server.url });
const page = await context.newPage();
await page.goto(server.link);
await page.getByRole("heading", { name: "What should we work on?" }).waitFor();

const rest = () => page.locator('.phase[data-phase="idle"]').waitFor({ timeout: 120_000 });
async function ask(words) {
  await page.goto("/");
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(words);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/chats\//);
}
const FOR_THE_DOCS = new Set(["working", "conversation", "conversation-dark", "panel", "phone"]);

async function picture(name, { theme = "light", settle = 800 } = {}) {
  if (!all && !FOR_THE_DOCS.has(name)) return;
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForTimeout(settle);
  await page.screenshot({ path: `${out}/${name}.png` });
  console.log(`${out}/${name}.png`);
}

const PLACES = {
  settings: [
    "profile",
    "prompt",
    "notifications",
    "skills",
    "schedules",
    "triggers",
    "webhooks",
    "workspaces",
    "mcp",
    "keys",
    "tokens",
  ],
  admin: [
    ...["providers", "models", "prompts", "advisor", "mcp", "hooks", "templates", "users"],
    ...["budgets", "usage", "policies", "audit"],
  ],
};
const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 375, height: 740 } };

async function everyLook(name, settle = 250) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const theme of ["light", "dark"]) await picture(`${name}-${size}-${theme}`, { theme, settle });
  }
}

async function tour() {
  for (const [area, places] of Object.entries(PLACES)) {
    for (const place of places) {
      await page.setViewportSize(SIZES.wide);
      await page.goto(`/${area}/${place}`);
      await page.waitForLoadState("networkidle");
      await everyLook(`${area}-${place}`);
    }
  }
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
await page.getByRole("textbox", { name: "Message", exact: true }).fill("Then explain how it splits words.");
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
await page.goto("/admin/providers");
await picture("providers");
if (all) await tour();
await browser.close();
await server.stop();
