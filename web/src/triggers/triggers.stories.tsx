/** What begins chats and what hears of them: as it is, while there is nothing, and where something is wrong. */

import { expect } from "vitest";
import type { Outgoing, Schedule, ScheduleRun, Trigger, TriggerDelivery, Webhook } from "../api/types.ts";
import { at } from "../stories/fixtures.ts";
import { NONE, placed, pressed } from "../stories/place.tsx";

export default { title: "Triggers" };

const SCHEDULE: Schedule = {
  id: "s1",
  name: "Morning report",
  prompt: "Report what happened since yesterday.",
  rule: "0 9 * * 1-5",
  zone: "Europe/Berlin",
  next_at: at(0),
  missed: "once",
  most_missed: 1,
  overlap: "skip",
  failures: 0,
  created_at: at(0),
};
const RUNS: ScheduleRun[] = [
  { id: 2, due_at: at(0), last_due_at: at(0), state: "failed", detail: "The model is gone." },
  { id: 1, due_at: at(0), last_due_at: at(0), state: "finished", chat_id: "c1" },
];
const scheduleAnswers = {
  "GET /schedules": {
    items: [
      SCHEDULE,
      { ...SCHEDULE, id: "s2", name: "Nightly check", failures: 2 },
      { ...SCHEDULE, id: "s3", name: "Paused", paused_at: at(0), pause_reason: "It failed five times." },
    ],
  },
  "GET /schedules/s1/runs": { items: RUNS },
  "GET /schedules/times": { items: [at(0), at(86_400)] },
};
export const Schedules = placed("/settings/schedules", scheduleAnswers);
export const NoSchedules = placed("/settings/schedules", { "GET /schedules": NONE });
export const ScheduleRuns = placed("/settings/schedules", scheduleAnswers, async ({ root }) => {
  await pressed(root, "History");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("The model is gone.");
});
export const ScheduleEdited = placed("/settings/schedules", scheduleAnswers, async ({ root }) => {
  await pressed(root, "Edit Morning report");
  await expect.poll(() => root.querySelector("dialog time")).toBeTruthy();
});

const WEBHOOK: Webhook = {
  id: "w1",
  name: "Pager",
  url: "https://pager.example.com/in",
  events: ["chat.failed"],
  enabled: true,
  created_at: at(0),
};
const TOLD: Outgoing[] = [
  {
    id: 2,
    event: "chat.failed",
    name: "Pager",
    state: "dead",
    attempts: 12,
    status: 500,
    detail: "It answered 500.",
    created_at: at(0),
    due_at: at(0),
    chat_id: "c1",
  },
  {
    id: 1,
    event: "webhook.test",
    name: "Pager",
    state: "delivered",
    attempts: 1,
    created_at: at(0),
    due_at: at(0),
  },
];
const webhookAnswers = {
  "GET /webhooks": { items: [WEBHOOK] },
  "GET /webhooks/w1/deliveries": { items: TOLD, next_cursor: "1" },
};
export const Webhooks = placed("/settings/webhooks", webhookAnswers, async ({ root }) => {
  await pressed(root, "Deliveries");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("given up");
});
export const NoWebhooks = placed("/settings/webhooks", { "GET /webhooks": NONE });
export const WebhookMade = placed(
  "/settings/webhooks",
  { "GET /webhooks": NONE, "POST /webhooks": { ...WEBHOOK, secret: "whsec_example" } },
  async ({ root, user }) => {
    await pressed(root, "Add webhook");
    const fields = () => [...root.querySelectorAll<HTMLInputElement>("dialog input.input")];
    await expect.poll(() => fields().length).toBeGreaterThan(1);
    await user.fill(fields()[0] as HTMLElement, "Pager");
    await user.fill(fields()[1] as HTMLElement, "https://pager.example.com/in");
    await pressed(root, "Add");
    await expect.poll(() => root.querySelector("dialog")?.innerHTML).toContain("whsec_example");
  },
);

const TRIGGER: Trigger = {
  id: "t1",
  name: "New issues",
  url: "https://perdure.example.com/in/t1",
  signing: "github",
  template: "Look at {{ body.issue.title }}.",
  thread: "{{ body.issue.number }}",
  busy: "queue",
  conditions: [],
  enabled: true,
  hourly_limit: 60,
  refusal: "The signature does not match.",
  refused_at: at(0),
  created_at: at(0),
};
const CAME: TriggerDelivery[] = [
  { id: 2, state: "failed", size: 900, detail: "The model is gone.", created_at: at(0) },
  { id: 1, state: "begun", size: 1_200, chat_id: "c1", thread: "12", created_at: at(0) },
];
const triggerAnswers = {
  "GET /triggers": { items: [TRIGGER] },
  "GET /triggers/t1/deliveries": { items: CAME },
};
export const Triggers = placed("/settings/triggers", triggerAnswers, async ({ root }) => {
  await pressed(root, "Deliveries");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("The model is gone.");
});
export const NoTriggers = placed("/settings/triggers", { "GET /triggers": NONE });
