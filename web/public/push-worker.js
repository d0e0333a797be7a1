// What a browser runs while the page is closed: it shows what the server pushes, and opens the chat on a click.

self.addEventListener("push", (event) => {
  const { id, title, text, url } = event.data?.json() ?? {};
  if (!title) return;
  event.waitUntil(self.registration.showNotification(title, { body: text, tag: String(id), data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data?.url ?? "/", self.location.origin).href));
});

async function show(url) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((each) => each.url === url) ?? pages[0];
  if (!page) return self.clients.openWindow(url);
  await page.focus();
  return page.url === url ? page : page.navigate(url);
}
