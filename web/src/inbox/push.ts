/** Notifications while the page is closed: this browser, subscribed at its push service with the server's key. */

import { api } from "../api/client.ts";

const WORKER = "/push-worker.js";
const KEPT = "push-subscription";

export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window;
}

export function pushes(): boolean {
  return localStorage.getItem(KEPT) !== null;
}

export async function startPush(): Promise<void> {
  const registration = await navigator.serviceWorker.register(WORKER);
  await navigator.serviceWorker.ready;
  const { key } = await api.get("/push/key");
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint, keys } = subscription.toJSON();
  const { id } = await api.post("/push/subscriptions", { endpoint, keys });
  localStorage.setItem(KEPT, id);
}

export async function stopPush(): Promise<void> {
  const id = localStorage.getItem(KEPT);
  localStorage.removeItem(KEPT);
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  if (id) await api.delete(`/push/subscriptions/${id}`);
}
