// The page's budgets, measured in Chromium on a production build. Prints a table; ends with 1 when one is broken.
import { readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright";
import { build, preview } from "vite";

const OUT = "node_modules/.budgets";
const STORY = "budgets.html";
await build({
  logLevel: "error",
  // Counting renders needs React's profiling build; it is a little slower than the shipped one.
  resolve: { alias: [{ find: /^react-dom\/client$/, replacement: "react-dom/profiling" }] },
  build: { outDir: OUT, rolldownOptions: { input: "budgets.html" } },
});
const server = await preview({
  build: { outDir: OUT },
  preview: { port: 0, host: "127.0.0.1" },
  logLevel: "error",
});
const base = server.resolvedUrls.local[0];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const results = [];
const record = (name, value, limit, unit) => results.push({ name, value, limit, unit, ok: value <= limit });

const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.on("pageerror", (error) => console.error(String(error)));
const cdp = await page.context().newCDPSession(page);
await cdp.send("Performance.enable");
const taskSeconds = async () => {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find((entry) => entry.name === "TaskDuration").value;
};

// Once to warm the disk's caches, then three times: what else the machine does can only make it slower.
const opened = [];
for (let round = 0; round < 4; round++) {
  const started = Date.now();
  await page.goto(base + STORY);
  await page.waitForSelector(".turn-facts");
  await page.locator(".composer textarea").fill("x");
  opened.push(Date.now() - started);
}
record("5,000 messages: open and usable, best of three", Math.min(...opened.slice(1)), 300, "ms");
await page.waitForTimeout(1_500);

const frames = (scroll) =>
  page.evaluate(async (scrolling) => {
    const scroller = document.querySelector(".transcript");
    let worst = 0;
    let last = performance.now();
    for (let frame = 0; frame < 180; frame++) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      if (frame > 2) worst = Math.max(worst, now - last);
      last = now;
      if (scrolling) scroller.scrollTop -= 160;
    }
    return worst;
  }, scroll);
const still = await frames(false);
const scrolled = await frames(true);
record(
  "scrolling: longest frame over a still page's",
  Math.max(0, Math.round(scrolled - still + 16.7)),
  50,
  "ms",
);
await page.evaluate(() => {
  const scroller = document.querySelector(".transcript");
  scroller.scrollTop = scroller.scrollHeight;
});
await page.waitForTimeout(500);

const before = await page.evaluate(() => window.measured.renders);
await page
  .locator(".composer textarea")
  .pressSequentially("typing does not touch the transcript", { delay: 5 });
record(
  "typing: renders of the transcript",
  (await page.evaluate(() => window.measured.renders)) - before,
  0,
  "",
);

const DELTAS = 300;
const WORDS = "Some **words** of an answer, with `code`, a list and more.\n\n- item one\n- item two\n\n";
const many = (line, between) => Array.from({ length: 1_000 }, (_, at) => line(at)).join(between);
/** What is there already, and what goes on arriving, each as a part of its own. */
const STREAMS = [
  { name: "streaming: main thread per delta", before: "", words: WORDS },
  {
    name: "streaming into a long paragraph: main thread per delta",
    before: many((at) => `Sentence ${at} has **bold** words and a \`span\`.`, " "),
    words: " And one more sentence with **bold** words and a `span`.",
  },
  {
    name: "streaming into a long list: main thread per delta",
    before: many((at) => `- item **${at}** with \`code\``, "\n"),
    words: "\n- one more **item** with `code`",
  },
  {
    name: "streaming into a long table: main thread per delta",
    before: `| a | b |\n|---|---|\n${many((at) => `| ${at} | **x** |`, "\n")}`,
    words: "\n| one more | **row** |",
  },
];
await page.evaluate(() => {
  const { live } = window.measured;
  let seq = 0;
  live.dispatch({ type: "status", status: "running", cursor: "x" });
  window.measured.say = (index, text) =>
    live.dispatch({
      type: "message_part",
      cursor: "p",
      role: "assistant",
      part: { type: "text", index, text },
      history_version: 1e9,
      attempt: 1,
      seq: ++seq,
    });
});
const idleStart = await taskSeconds();
await page.waitForTimeout(DELTAS * 25);
const idle = (await taskSeconds()) - idleStart;
for (const [index, { name, before, words }] of STREAMS.entries()) {
  await page.evaluate(([at, text]) => text && window.measured.say(at, text), [index, before]);
  await page.waitForTimeout(2_000);
  const busyStart = await taskSeconds();
  await page.evaluate(
    async ({ count, at, arriving }) => {
      for (let delta = 0; delta < count; delta++) {
        const start = (delta * 12) % arriving.length;
        window.measured.say(at, `${arriving}${arriving}`.slice(start, start + 12));
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    { count: DELTAS, at: index, arriving: words },
  );
  const busy = (await taskSeconds()) - busyStart;
  record(name, Number((((busy - idle) * 1_000) / DELTAS).toFixed(2)), 6, "ms");
}
await browser.close();
await server.close();
rmSync(OUT, { recursive: true, force: true });

await build({ logLevel: "error" });
const html = readFileSync("dist/index.html", "utf8");
const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((found) => found[1]);
const size = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/${file}`)).length, 0);
record("initial JavaScript, gzip", Math.round(size / 1_000), 170, "kB");

for (const { name, value, limit, unit, ok } of results) {
  console.log(`${ok ? "within" : "BROKEN"}  ${name}: ${value} ${unit} (at most ${limit})`);
}
process.exit(results.every((entry) => entry.ok) ? 0 : 1);
