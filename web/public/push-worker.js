// What a browser runs while the page is closed: it shows what the server pushes, opens the chat on a click, and carries
// a decision about a call to the server.

const API = "/api/v1";
const ACTIONS = [
  { action: "approve", title: "Approve" },
  { action: "deny", title: "Deny" },
];

self.addEventListener("push", (event) => {
  const told = event.data?.json() ?? {};
  if (told.title) event.waitUntil(tell(told));
});

self.addEventListener("notificationclick", (event) => {
  const { url, chat, call } = event.notification.data ?? {};
  event.notification.close();
  const address = new URL(url ?? "/", self.location.origin).href;
  if (call && ACTIONS.some(({ action }) => action === event.action))
    event.waitUntil(decide(chat, call, event.action).catch(() => show(address)));
  else event.waitUntil(show(address));
});

async function tell({ id, title, text, url, kind, chat_id }) {
  const call = kind === "needs_you" && chat_id ? await asked(chat_id).catch(() => null) : null;
  await self.registration.showNotification(title, {
    body: call ? words(call) : text,
    tag: String(id),
    icon: "/icon-192.png",
    requireInteraction: Boolean(call),
    actions: call ? ACTIONS : [],
    data: { url, chat: chat_id, call: call?.call_id },
  });
}

// A device that a push wakes may have no network for a moment.
async function awake(path) {
  for (const wait of [250, 1000, 4000]) {
    try {
      return await answer(path);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return answer(path);
}

// The call that the chat asks about, if it is one alone: nobody decides about what the notification does not show.
async function asked(chat) {
  const { action } = await awake(`/chats/${chat}`);
  const calls = action?.calls?.filter((each) => !each.decision) ?? [];
  return action?.kind === "approval" && calls.length === 1 ? calls[0] : null;
}

function words({ tool, args }) {
  const fields = JSON.parse(args ?? "{}");
  const shown = fields.command ?? fields.path ?? args ?? "";
  return `${tool}: ${String(shown).slice(0, 200)}`;
}

async function decide(chat, call_id, decision) {
  const { csrf_token } = await answer("/me");
  await answer(`/chats/${chat}/action`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf_token },
    body: JSON.stringify({ decisions: [{ call_id, decision }] }),
  });
}

async function answer(path, options) {
  const response = await fetch(API + path, { credentials: "same-origin", ...options });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function show(url) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((each) => each.url === url) ?? pages[0];
  if (!page) return self.clients.openWindow(url);
  await page.focus();
  return page.url === url ? page : page.navigate(url);
}
