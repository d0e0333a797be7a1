import { expect, test } from "vitest";
import type { AuditEntry } from "../api/types.ts";
import { actionWords, detailWords, subjectWords } from "./auditWords.ts";

const ID = "7f2d9b60-6f5e-4c6a-9d3e-1f2a3b4c5d6e";
const entry = (change: Partial<Omit<AuditEntry, "detail">> & { detail?: object }) =>
  ({ id: 1, action: "user.add", subject: ID, detail: {}, at: "", ...change }) as AuditEntry;

test("an action is said in words", () => {
  expect(
    ["user.add", "mcp_server.change", "login_service.delete", "database.lost_changes"].map(actionWords),
  ).toEqual(["User added", "MCP server changed", "Login service removed", "Database lost changes"]);
});

test("names are shown instead of ids, also those of what is gone", () => {
  expect([
    subjectWords(entry({ subject_name: "ada@example.com" })),
    subjectWords(entry({ detail: { title: "Importer" } })),
    subjectWords(entry({})),
    subjectWords(entry({ subject: "system_prompt" })),
  ]).toEqual(["ada@example.com", "Importer", "#7f2d9b60", "system prompt"]);
});

test("details are words and numbers, never ids", () => {
  expect(detailWords(entry({ detail: { role: "admin", users: [ID], owner: ID, email: "a@b.c" } }))).toBe(
    "role: admin, users: 1",
  );
});
