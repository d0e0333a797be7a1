import { expect, test } from "vitest";
import type { Schedule } from "../api/types.ts";
import { newSchedule, sentOf, shownIn, zonesWith } from "./scheduleValues.ts";
import { templatePlace, workspacePlace } from "./speechValues.ts";

const BASE = { name: "Build", prompt: "Look.", rule: "@daily", zone: "UTC", missed: "once", most_missed: 10 };
const NOTHING = { chat_id: null, model: null, budget_limit: null, workspace: null, workspace_id: null };

test("what is not chosen is said to be none, so that a change can take it back", () => {
  expect(sentOf({ ...BASE, overlap: "skip" })).toEqual({ ...BASE, ...NOTHING, overlap: "skip" });
});

test("a template goes with its parameters, without those left empty; a workspace by its id", () => {
  const parameters = { packages: "git", version: "", count: null, fast: false };
  const template = sentOf({ ...BASE, place: templatePlace("python"), parameters });
  expect(template.workspace).toEqual({ template: "python", parameters: { packages: "git", fast: false } });
  expect(template.workspace_id).toBeNull();
  const workspace = sentOf({ ...BASE, place: workspacePlace("w1"), parameters });
  expect([workspace.workspace, workspace.workspace_id]).toEqual([null, "w1"]);
});

test("a chat that is spoken into takes neither workspace nor budget, and does one thing at a time", () => {
  const chat = {
    ...BASE,
    chat_id: "c1",
    place: templatePlace("python"),
    budget_limit: 5,
    overlap: "parallel",
  };
  expect(sentOf(chat)).toEqual({ ...BASE, ...NOTHING, chat_id: "c1", overlap: "queue" });
});

test("what the server shows goes back to it unchanged", () => {
  const parameters = { packages: "git" };
  const options = { ...BASE, overlap: "steer", workspace: { template: "python", parameters } };
  const stood = {
    id: "s1",
    failures: 0,
    created_at: "2026-01-01T00:00:00Z",
    next_at: "2026-01-02T00:00:00Z",
  };
  expect(sentOf(shownIn({ ...options, ...stood } as Schedule))).toEqual({ ...NOTHING, ...options });
});

test("a new schedule follows the clock of whoever makes it, and a zone that the browser does not know stays", () => {
  expect(newSchedule().zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(zonesWith("Mars/Olympus")).toContain("Mars/Olympus");
  expect(zonesWith("UTC").filter((zone) => zone === "UTC")).toHaveLength(1);
});
