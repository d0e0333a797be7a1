// Streams of the real server, kept for the reducer's tests: node scripts/record.mjs
import { mkdirSync, writeFileSync } from "node:fs";
import { chromium } from "playwright";
import { PerdureServer } from "../e2e/server.mjs";

const OUT = "src/chat/model/recordings";
const post = (path, body) => ({ method: "POST", path, body });
const say = (text, extra = {}) => post("/messages", { content: [{ type: "text", text }], ...extra });
const STORIES = {
  answer: [say("[[rate:60]][[think:Let me see.]][[say:An answer in a few pieces, with *markdown* in it.]]")],
  interrupted: [
    say("[[rate:20]][[say:200 tokens]]"),
    { wait: 900 },
    post("/interrupt", {}),
    { wait: 400 },
    say("[[say:and on]]"),
  ],
  queued: [say("[[rate:40]][[say:60 tokens]]"), { wait: 300 }, say("[[say:second]]"), say("[[say:third]]")],
  retried: [say("[[fault:overloaded x1 retry_after=1]][[say:back again]]")],
  failed: [say("[[fault:auth x1]][[say:it works now]]"), { wait: 800 }, post("/retry", {})],
  edited: [
    say("[[say:first]]"),
    { wait: 800 },
    { method: "PUT", path: "/messages/3", body: { content: [{ type: "text", text: "[[say:instead]]" }] } },
  ],
  steered: [
    say("[[rate:40]][[say:60 tokens]]"),
    { wait: 300 },
    say("[[say:another way]]", { busy: "steer" }),
  ],
};
mkdirSync(OUT, { recursive: true });
const server = await PerdureServer.started();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
await page.goto(server.link);
for (const [name, steps] of Object.entries(STORIES)) {
  const frames = await page.evaluate(async (story) => {
    const { csrf_token } = await (await fetch("/api/v1/me")).json();
    const ask = (method, path, body) =>
      fetch(`/api/v1${path}`, {
        method,
        headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf_token },
        body: JSON.stringify(body),
      }).then((answer) => answer.json());
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const { chat } = await ask("POST", "/chats", { content: [{ type: "text", text: "[[say:hello]]" }] });
    const heard = [];
    const socket = new WebSocket(`ws://${location.host}/api/v1/chats/${chat.id}/stream`);
    socket.onmessage = (frame) => heard.push(JSON.parse(frame.data));
    await pause(1_000);
    for (const step of story) {
      if (step.wait) await pause(step.wait);
      else await ask(step.method, `/chats/${chat.id}${step.path}`, step.body);
    }
    const resting = () => heard.flat().findLast((event) => event.type === "status")?.status === "waiting";
    const empty = () => heard.flat().findLast((event) => event.type === "queue_update")?.queue.length === 0;
    for (let tries = 0; tries < 60 && !(resting() && empty()); tries++) await pause(250);
    await pause(1_200);
    socket.close();
    return heard;
  }, steps);
  writeFileSync(`${OUT}/${name}.json`, `${JSON.stringify(frames)}\n`);
  console.log(name, frames.length, "frames,", frames.flat().length, "events");
}
await browser.close();
await server.stop();
