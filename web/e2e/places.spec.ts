/** The list of chats, and what can be done to one, to several, and from anywhere on the page. */

import { expect, type Person, test } from "./page.ts";

const rowOf = (person: Person, title: string) =>
  person.page.getByRole("navigation", { name: "Chats" }).getByRole("listitem").filter({ hasText: title });

async function begun(person: Person, ...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const content = [{ type: "text", text: "[[say:ready]]" }];
    const { chat } = await person.asks<{ chat: { id: string } }>("POST", "/chats", { content, title });
    ids.push(chat.id);
    await expect
      .poll(() =>
        person
          .asks<{ chat: { status: string } }>("GET", `/chats/${chat.id}`)
          .then((view) => view.chat.status),
      )
      .toBe("waiting");
  }
  return ids;
}

test("chats are listed also where their stream opens before the list has come", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await begun(person, "Listed in any order");
  const opened = new Promise<void>((resolve) => {
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        if (String(payload).includes("watch_reset")) resolve();
      }),
    );
  });
  let asked = 0;
  await page.route(/\/api\/v1\/chats(\?|$)/, async (route) => {
    const answer = await route.fetch();
    if (++asked === 1) await opened;
    await route.fulfill({ response: answer });
  });
  await page.goto("/settings/skills");
  await person.settles();
  // Now, and not once something else happens to the chat.
  expect(await rowOf(person, "Listed in any order").count()).toBe(1);
});

test("a file dropped anywhere on the page becomes an attachment", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await expect(person.composer).toBeVisible();
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["hello"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  });
  const list = page.getByRole("navigation", { name: "Chats" });
  await list.dispatchEvent("dragover", { dataTransfer: data });
  await expect(page.getByText("Drop files to attach them")).toBeVisible();
  await list.dispatchEvent("drop", { dataTransfer: data });
  await expect(page.getByText("dropped.txt")).toBeVisible();
  await expect(page.getByText("Drop files to attach them")).toHaveCount(0);
});

test("the list of chats folds away by button and by keyboard, and stays so", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const list = page.getByRole("navigation", { name: "Chats" });
  await page.getByRole("button", { name: "Hide the chat list" }).click();
  await expect(list).toBeHidden();
  await page.reload();
  await expect(person.composer).toBeVisible();
  await expect(list).toBeHidden();
  await page.getByRole("button", { name: "Chats", exact: true }).click();
  await expect(list).toBeVisible();
  await person.composer.press("Control+b");
  await expect(list).toBeHidden();
  await person.composer.press("Control+b");
  await expect(list).toBeVisible();
});

test("a right click opens a chat's menu, labels are set there, and filter the list", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await begun(person, "Label me", "Leave me");
  await rowOf(person, "Label me").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Labels" }).click();
  const dialog = page.getByRole("dialog", { name: "Labels" });
  await dialog.getByLabel("New label").fill("team: docs");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("listitem")).toContainText("team: docs");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filter chats" }).click();
  await page.getByRole("menuitemradio", { name: "team:docs" }).click();
  await expect(rowOf(person, "Label me")).toBeVisible();
  await expect(rowOf(person, "Leave me")).toHaveCount(0);
});

test("archiving can be undone", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  await begun(person, "Changed my mind");
  const row = rowOf(person, "Changed my mind");
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();
});

test("several chats are archived together, and deleted together", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const ids = await begun(person, "Pair one", "Pair two", "Odd one");
  await page.getByRole("button", { name: "Select chats" }).click();
  await page.getByRole("checkbox", { name: "Select Pair one" }).check();
  await page.getByRole("checkbox", { name: "Select Pair two" }).check();
  await expect(page.getByText("2 chats selected")).toBeVisible();
  await page.getByRole("button", { name: "Archive selected" }).click();
  await expect(page.getByText("2 chats archived.")).toBeVisible();
  await expect(rowOf(person, "Pair")).toHaveCount(0);
  await expect(rowOf(person, "Odd one")).toBeVisible();
  await page.goto("/?show=archived");
  await page.getByRole("button", { name: "Select chats" }).click();
  await page.getByRole("checkbox", { name: "Select Pair one" }).check();
  await page.getByRole("checkbox", { name: "Select Pair two" }).check();
  await page.getByRole("button", { name: "Delete selected" }).click();
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await expect(rowOf(person, "Pair")).toHaveCount(0);
  for (const id of ids.slice(0, 2)) await expect(person.asks("GET", `/chats/${id}`)).rejects.toThrow(/404/);
});

test("what needs somebody is dismissed, in the list and in the bell, until it moves", async ({
  person,
  another,
}) => {
  const { page } = person;
  await page.goto("/");
  await person.asks("PUT", "/me/settings/approvals", { value: { execute: "ask" } });
  await person.startsChat('[[call:execute {"command": "true"}]][[then]][[say:done]]');
  // Chats of other flows may need this person, too.
  await person.asks("PATCH", new URL(page.url()).pathname, { title: "Waits for me" });
  const inList = (seen: Person) =>
    seen.page
      .getByRole("region", { name: "Needs you" })
      .getByRole("listitem")
      .filter({ hasText: "Waits for me" });
  await inList(person).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Dismiss from Needs you" }).click();
  await expect(inList(person)).toHaveCount(0);
  await page.getByRole("button", { name: /^Inbox/ }).click();
  await expect(page.getByRole("group", { name: "Updates" })).toBeVisible();
  await expect(page.getByRole("group", { name: "Needs you" }).getByText("Waits for me")).toHaveCount(0);
  const elsewhere = await another();
  await elsewhere.page.goto("/");
  await expect(
    elsewhere.page.getByRole("navigation", { name: "Chats" }).getByRole("listitem").first(),
  ).toBeVisible();
  await expect(inList(elsewhere)).toHaveCount(0);
  await person.asks("PUT", "/me/settings/approvals", { value: {} });
});

test("a chat is shared by a link, read by who opens it, and not any more when it is taken back", async ({
  person,
  browser,
  server,
}) => {
  const { page } = person;
  await person.startsChat("[[say:for the team]]");
  await person.seesAnswer("for the team");
  await page.getByRole("button", { name: "Chat actions" }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create a link" }).click();
  const link = await dialog.getByLabel("Link to this chat").inputValue();
  const { email, password } = await person.invites();
  const context = await browser.newContext({ baseURL: server.url });
  const reader = await context.newPage();
  await reader.goto(link);
  await reader.getByLabel("Email").fill(email);
  await reader.getByLabel("Password").fill(password);
  await reader.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(reader.getByText("for the team").last()).toBeVisible();
  await expect(reader).toHaveURL(/\/chats\//);
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog.getByRole("button", { name: "Create a link" })).toBeVisible();
  await reader.goto(link);
  await expect(reader.getByRole("alert")).toContainText("revoked");
  await context.close();
});

test("a chat is renamed in its header", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const [id] = await begun(person, "As it was called");
  await page.goto(`/chats/${id}`);
  await page.getByRole("button", { name: "Rename: As it was called" }).click();
  const title = page
    .getByRole("banner")
    .getByRole("textbox", { name: "Title" })
    .or(page.getByRole("textbox", { name: "Title" }));
  await expect(title.first()).toBeFocused();
  await title.first().fill("As it is called now");
  await title.first().press("Enter");
  await expect(page.getByRole("button", { name: "Rename: As it is called now" })).toBeVisible();
  await expect(rowOf(person, "As it is called now")).toBeVisible();
  await page.getByRole("button", { name: "Rename: As it is called now" }).click();
  await title.first().fill("Thought better of it");
  await title.first().press("Escape");
  await expect(page.getByRole("button", { name: "Rename: As it is called now" })).toBeVisible();
});

test("several chats get a label at once, and lose it at once", async ({ person }) => {
  const { page } = person;
  await page.goto("/");
  const ids = await begun(person, "Labelled one", "Labelled two");
  const labels = async () =>
    Promise.all(
      ids.map(async (id) => {
        const view = await person.asks<{ chat: { labels?: object } }>("GET", `/chats/${id}`);
        return view.chat.labels ?? {};
      }),
    );
  await page.getByRole("button", { name: "Select chats" }).click();
  await page.getByRole("checkbox", { name: "Select Labelled one" }).check();
  await page.getByRole("checkbox", { name: "Select Labelled two" }).check();
  await page.getByRole("button", { name: "Label selected" }).click();
  const dialog = page.getByRole("dialog", { name: "Labels of 2 chats" });
  await dialog.getByLabel("New label").fill("team: both");
  await page.keyboard.press("Enter");
  await expect.poll(labels).toEqual([{ team: "both" }, { team: "both" }]);
  await dialog.getByRole("button", { name: "Remove label team: both" }).click();
  await expect.poll(labels).toEqual([{}, {}]);
});
