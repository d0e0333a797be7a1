// Pictures of stories, to look at: node scripts/look.mjs OUT [filter]. Uses the development server and the system's Chromium.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright";
import { createServer } from "vite";

const [out = "look", filter = ""] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
const base = server.resolvedUrls.local[0];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();
await page.goto(`${base}stories.html`);
await page.waitForSelector("a");
const names = await page.$$eval("a", (links) => links.map((link) => link.textContent));
for (const name of names.filter((entry) => entry.includes(filter))) {
  for (const theme of ["light", "dark"]) {
    const phone = name.includes("Phone");
    await page.setViewportSize(
      phone ? { width: 375, height: 740 } : { width: name.startsWith("Page") ? 1440 : 900, height: 860 },
    );
    await page.goto(`${base}stories.html?story=${encodeURIComponent(name)}&theme=${theme}`);
    await page.waitForTimeout(Number(process.env.SETTLE ?? 900));
    await page.screenshot({ path: `${out}/${name.replace("/", "-")}-${theme}.png` });
  }
}
await browser.close();
await server.close();
