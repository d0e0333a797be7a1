/** One's own settings: as they are, while there is nothing, and where something is wrong. */

import { expect } from "vitest";
import type { Budgets, Memory, Session, Token } from "../api/types.ts";
import { at } from "../stories/fixtures.ts";
import { NONE, placed, pressed } from "../stories/place.tsx";

export default { title: "Settings" };

const SESSIONS: Session[] = [
  {
    id: "s1",
    user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    address: "127.0.0.1",
    created_at: at(0),
    expires_at: at(86_400),
    current: true,
  },
  {
    id: "s2",
    user_agent: "curl/8",
    address: "10.0.0.2",
    created_at: at(0),
    expires_at: at(86_400),
    current: false,
  },
];
export const Profile = placed("/settings/profile", { "GET /sessions": { items: SESSIONS } });

const chats = {
  "GET /me/settings": { approvals: { execute: "ask" }, compaction_thresholds: { sonnet: 40 } },
  "GET /settings": { approvals: { web_search: "deny" } },
  "GET /tools": {
    items: [
      { name: "execute", description: "Runs a command.", asks: false },
      { name: "web_search", description: "Searches the web.", asks: false },
    ],
  },
};
export const Instructions = placed("/settings/prompt", chats, async ({ root }) => {
  await expect.poll(() => root.querySelectorAll(".approvals-table tbody tr").length).toBeGreaterThan(0);
  await expect.poll(() => root.querySelectorAll(".threshold").length).toBe(2);
});
export const InstructionsUnread = placed("/settings/prompt", {
  "GET /me/settings": () => new Response('{"message":"The database is away. Try again."}', { status: 503 }),
});
export const Notifications = placed("/settings/notifications", {});
export const Skills = placed("/settings/skills", {
  "GET /skills": { items: [{ name: "release-notes", description: "Write release notes.", files: [] }] },
});
export const NoSkills = placed("/settings/skills", { "GET /skills": NONE });

const MEMORY: Memory = {
  id: "m1",
  text: "Prefers tables to prose.",
  by_agent: true,
  chat_id: "c1",
  may_change: true,
  whose: "person",
  created_at: at(0),
  updated_at: at(0),
};
export const Memories = placed("/settings/memory", { "GET /memories": { items: [MEMORY] } });
export const NoMemories = placed("/settings/memory", { "GET /memories": NONE });

const BUDGETS: Budgets = {
  month: "2026-06-01",
  user: { limit: 20_000_000, spent: 19_200_000, reserved: 400_000 },
};
export const OwnUsage = placed("/settings/usage", {
  "GET /budgets": BUDGETS,
  "GET /usage": {
    items: [{ name: "2026-06-10", calls: 9, input: 90_000, output: 8_000, cost: 300_000, unpriced_calls: 1 }],
  },
});
export const SignIns = placed("/settings/mcp?sign_in=refused", {
  "GET /mcp-servers": {
    items: [
      { id: "m1", slug: "calendar", name: "Calendar", auth: "oauth", enabled: true, signed_in: true },
      { id: "m2", slug: "issues", name: "Issues", auth: "oauth", enabled: true },
    ],
  },
});
export const NothingToSignInTo = placed("/settings/mcp", { "GET /mcp-servers": NONE });
export const Connect = placed("/settings/connect", {}, async ({ root }) => {
  await expect.poll(() => root.querySelector("code")).toBeTruthy();
});

const TOKEN: Token = { id: "t1", name: "laptop", hint: "1234", scopes: ["chat"], created_at: at(0) };
export const Tokens = placed("/settings/tokens", { "GET /tokens": { items: [TOKEN] } });
export const TokenMade = placed(
  "/settings/tokens",
  { "GET /tokens": NONE, "POST /tokens": { ...TOKEN, secret: "perdure_example" } },
  async ({ root, user }) => {
    await pressed(root, "Add token");
    await expect.poll(() => root.querySelector("dialog input.input")).toBeTruthy();
    await user.fill(root.querySelector("dialog input.input") as HTMLElement, "laptop");
    await pressed(root, "Add");
    await expect.poll(() => root.querySelector("dialog")?.innerHTML).toContain("perdure_example");
  },
);
export const NoWorkspaces = placed("/settings/workspaces", { "GET /workspaces": NONE });
