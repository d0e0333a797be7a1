/** The browser's own notifications, for those who allow them and are not looking. */

import type { InboxEntry } from "../api/types.ts";

export function canAskToNotify(): boolean {
  return "Notification" in window && Notification.permission === "default";
}

export async function askToNotify(): Promise<boolean> {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

export function notify(entry: InboxEntry): void {
  if (!("Notification" in window) || Notification.permission !== "granted" || !document.hidden) return;
  const shown = new Notification(entry.title, { body: entry.text, tag: String(entry.id) });
  shown.onclick = () => {
    focus();
    if (entry.chat_id) location.assign(`/chats/${entry.chat_id}`);
  };
}
