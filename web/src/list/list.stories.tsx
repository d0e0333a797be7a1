/** The list of chats, the bell, and what can be done there. */

import { expect } from "vitest";
import { placed, pressed } from "../stories/place.tsx";

export default { title: "List" };

export const Selecting = placed("/", {}, async ({ root, user }) => {
  await pressed(root, "Select chats");
  await expect.poll(() => root.querySelectorAll(".chat-row input[type=checkbox]").length).toBeGreaterThan(2);
  await user.click(root.querySelectorAll(".chat-row input[type=checkbox]")[0] as HTMLElement);
  await expect.poll(() => root.querySelector(".selection")?.textContent).toContain("1 chat selected");
  await pressed(root, "Label selected");
  await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("No labels yet.");
});
export const Filtering = placed("/", {}, async ({ root }) => {
  await pressed(root, "Filter chats");
  await expect
    .poll(() => root.querySelectorAll('.menu[aria-label="Filter chats"] .menu-item').length)
    .toBeGreaterThan(1);
});
export const Inbox = placed("/", {}, async ({ root }) => {
  await expect.poll(() => root.querySelector('[aria-label^="Inbox"]')).toBeTruthy();
  (root.querySelector('[aria-label^="Inbox"]') as HTMLElement).click();
  await expect
    .poll(() => root.querySelector('[aria-label="Needs you"]')?.textContent)
    .toContain("Release notes for 2.4");
});
export const EmptyInbox = placed("/", { "GET /inbox": { items: [], unread: 0 } }, async ({ root }) => {
  await expect.poll(() => root.querySelector('[aria-label^="Inbox"]')).toBeTruthy();
  (root.querySelector('[aria-label^="Inbox"]') as HTMLElement).click();
  await expect
    .poll(() => document.activeElement?.closest("[popover]") ?? root.querySelector("[popover]:popover-open"))
    .toBeTruthy();
});
export const ListRefused = placed("/", {
  "GET /chats": () => new Response('{"message":"The database is away. Try again."}', { status: 503 }),
});
