/** The files of a workspace, and what changed in it. */

import { readFileSync } from "node:fs";
import { expect, type Person, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';
const write = (path: string, content: string) =>
  `[[call:write_file ${JSON.stringify({ path, content })}]][[then]]`;

async function opensTab(person: Person, name: string): Promise<void> {
  await person.page.getByRole("button", { name: "Panel", exact: true }).click();
  await person.page.getByRole("tab", { name }).click();
}

test("the files of the workspace are listed, looked at as what they are, put in and taken out", async ({
  person,
}) => {
  await person.startsChat(
    `${WORKSPACE}${write("notes.md", "# A heading\n\nSome *words*.\n")}${write("data.csv", 'name,size\n"one, two",3\n')}${write("src/run.py", "x = 1\n")}[[say:written]]`,
  );
  await person.seesAnswer("written");
  await opensTab(person, "Files");
  const panel = person.page.getByRole("tabpanel", { name: "Files" });
  await panel.getByRole("button", { name: /notes\.md/ }).click();
  await expect(panel.getByRole("heading", { name: "A heading" })).toBeVisible();
  await panel.getByRole("button", { name: "Source" }).click();
  await expect(panel.locator("pre")).toContainText("# A heading");
  await panel.getByRole("button", { name: "Back to the files" }).click();
  await panel.getByRole("button", { name: /data\.csv/ }).click();
  await expect(panel.getByRole("cell", { name: "one, two" })).toBeVisible();
  await panel.getByRole("button", { name: "Back to the files" }).click();
  await panel.getByRole("button", { name: "src", exact: true }).click();
  await panel.getByRole("button", { name: /run\.py/ }).click();
  await expect(panel.locator("pre")).toHaveText("x = 1\n");
  const [one] = await Promise.all([
    person.page.waitForEvent("download"),
    panel.getByRole("link", { name: "Download src/run.py" }).click(),
  ]);
  expect(readFileSync(await one.path(), "utf8")).toBe("x = 1\n");
  await panel.getByRole("button", { name: "Back to the files" }).click();
  const dropped = await person.page.evaluateHandle(() => {
    const held = new DataTransfer();
    held.items.add(new File(["dropped words"], "dropped.txt", { type: "text/plain" }));
    return held;
  });
  await panel.locator(".files").dispatchEvent("drop", { dataTransfer: dropped });
  await panel.getByRole("button", { name: /dropped\.txt/ }).click();
  await expect(panel.locator("pre")).toHaveText("dropped words");
  await expect(person.page.locator(".attachment")).toHaveCount(0);
  await panel.getByRole("button", { name: "Back to the files" }).click();
  const [all] = await Promise.all([
    person.page.waitForEvent("download"),
    panel.getByRole("link", { name: "Download all files" }).click(),
  ]);
  expect(all.suggestedFilename()).toMatch(/^workspace-.*\.zip$/);
  const packed = readFileSync(await all.path()).toString("latin1");
  for (const name of ["notes.md", "data.csv", "src/run.py", "dropped.txt"]) expect(packed).toContain(name);
});

test("changed files are gone through: a tree, viewed marks that a new change takes off, wrapped lines", async ({
  person,
}) => {
  const command = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
  const run = (line: string) => `[[call:execute ${JSON.stringify({ command: line })}]][[then]]`;
  await person.startsChat(
    `${WORKSPACE}${write("src/a.py", "x = 1\n")}${write("src/b.py", "y = 1\n")}${run(command)}${run("echo x = 2 > src/a.py; echo y = 2 > src/b.py")}[[say:changed]]`,
  );
  await person.seesAnswer("changed");
  await opensTab(person, "Changes");
  const panel = person.page.getByRole("tabpanel", { name: "Changes" });
  await panel.getByRole("combobox", { name: "Show changes" }).selectOption("Since the last commit");
  await expect(panel.getByRole("navigation", { name: "Changed files" })).toContainText(
    "src/a.py+1−1b.py+1−1",
  );
  const file = panel.getByRole("region", { name: "src/a.py", exact: true });
  await file.getByRole("checkbox", { name: "Viewed" }).check();
  await expect(file.locator(".diff-table")).toHaveCount(0);
  await person.page.reload();
  await expect(file.getByRole("checkbox", { name: "Viewed" })).toBeChecked();
  await panel.getByRole("button", { name: "Wrap lines" }).click();
  await expect(panel.locator(".diff-code").first()).toHaveCSS("white-space", /pre-wrap|pre wrap/);
  await person.says(`${run("echo x = 3 > src/a.py")}[[say:changed again]]`);
  await person.seesAnswer("changed again");
  await expect(file.getByRole("checkbox", { name: "Viewed" })).not.toBeChecked();
});

test("without a repository, what the chat did to files is shown, also what commands did", async ({
  person,
}) => {
  const append = `[[call:execute ${JSON.stringify({ command: "echo z = 1 >> src/a.py" })}]][[then]]`;
  await person.startsChat(`${WORKSPACE}${write("src/a.py", "x = 1\n")}${append}[[say:written]]`);
  await person.seesAnswer("written");
  await opensTab(person, "Changes");
  const panel = person.page.getByRole("tabpanel", { name: "Changes" });
  await expect(panel.locator(".diff-added .diff-code")).toHaveText(["x = 1", "z = 1"]);
  await person.says(`${write("src/b.py", "y = 1\n")}[[say:another]]`);
  await person.seesAnswer("another");
  await panel.getByRole("combobox", { name: "Show changes" }).selectOption("In the last turn");
  await expect(panel.locator(".diff-added .diff-code")).toHaveText(["y = 1"]);
});

test("whoever edits a message is asked whether files go back, and sees what that changes", async ({
  person,
}) => {
  await person.startsChat(`${WORKSPACE}${write("a.txt", "first\n")}[[say:begun]]`);
  await person.seesAnswer("begun");
  await person.says(`${write("a.txt", "second\n")}[[say:changed]]`);
  await person.seesAnswer("changed");
  await opensTab(person, "Files");
  const panel = person.page.getByRole("tabpanel", { name: "Files" });
  await panel.getByRole("button", { name: /a\.txt/ }).click();
  await expect(panel.locator("pre")).toHaveText("second\n");
  await person.page.getByRole("button", { name: "Edit message" }).last().click();
  const box = person.page.getByRole("textbox", { name: "Edit message" });
  await box.fill("[[say:otherwise]]");
  await box.press("Control+Enter");
  const asked = person.page.getByRole("dialog", { name: "Files in the workspace" });
  await expect(asked.locator(".diff-removed .diff-code")).toHaveText(["second"]);
  await expect(asked.locator(".diff-added .diff-code")).toHaveText(["first"]);
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(box).toHaveValue("[[say:otherwise]]");
  await box.press("Control+Enter");
  expect(await person.findingsInBothThemes()).toEqual([]);
  await asked.getByRole("button", { name: "Restore files" }).click();
  await person.seesAnswer("otherwise");
  await panel.getByRole("button", { name: "Back to the files" }).click();
  await panel.getByRole("button", { name: /a\.txt/ }).click();
  await expect(panel.locator("pre")).toHaveText("first\n");
});

test("whoever forks a chat is asked which files the new one gets, and each has its own", async ({
  person,
}) => {
  await person.startsChat(`${WORKSPACE}${write("a.txt", "first\n")}[[say:begun]]`);
  await person.seesAnswer("begun");
  await person.says(`${write("a.txt", "second\n")}[[say:changed]]`);
  await person.seesAnswer("changed");
  const original = person.page.url();
  await person.page.getByRole("button", { name: "Fork from here" }).first().click();
  const asked = person.page.getByRole("dialog", { name: "Files of the new chat" });
  await expect(asked.locator(".diff-removed .diff-code")).toHaveText(["second"]);
  await asked.getByRole("button", { name: "Files as they were then" }).click();
  await expect(person.page).not.toHaveURL(original);
  await opensTab(person, "Files");
  const panel = person.page.getByRole("tabpanel", { name: "Files" });
  await panel.getByRole("button", { name: /a\.txt/ }).click();
  await expect(panel.locator("pre")).toHaveText("first\n");
  await person.page.goto(original);
  // The panel is as it was left.
  await person.page.getByRole("tab", { name: "Files" }).click();
  await panel.getByRole("button", { name: /a\.txt/ }).click();
  await expect(panel.locator("pre")).toHaveText("second\n");
});

test("created, edited, renamed and deleted files are told apart, whatever tool did it", async ({
  person,
}) => {
  const run = (command: string) => `[[call:execute ${JSON.stringify({ command })}]][[then]]`;
  await person.startsChat(
    `${WORKSPACE}${run("mkdir src; echo one > src/kept.txt; seq 1 40 > src/moved.txt; echo gone > src/gone.txt")}[[say:before]]`,
  );
  await person.seesAnswer("before");
  // What was there before a chat is what it found: another chat in the same place begins with these.
  const { chat } = await person.asks<{ chat: { workspace_id: string } }>(
    "GET",
    new URL(person.page.url()).pathname,
  );
  const content = [
    {
      type: "text",
      text: `${write("src/new.txt", "new\n")}${run("echo two >> src/kept.txt; mv src/moved.txt src/named.txt; rm src/gone.txt")}[[say:after]]`,
    },
  ];
  const second = await person.asks<{ chat: { id: string } }>("POST", "/chats", {
    content,
    workspace_id: chat.workspace_id,
  });
  await person.page.goto(`/chats/${second.chat.id}`);
  await person.seesAnswer("after");
  await opensTab(person, "Changes");
  const panel = person.page.getByRole("tabpanel", { name: "Changes" });
  const file = (name: string) => panel.getByRole("region", { name, exact: true });
  await expect(file("src/new.txt").locator(".diff-added .diff-code")).toHaveText(["new"]);
  await expect(file("src/kept.txt").locator(".diff-added .diff-code")).toHaveText(["two"]);
  await expect(file("src/gone.txt").locator(".diff-removed .diff-code")).toHaveText(["gone"]);
  await expect(file("src/named.txt").locator(".diff-head")).toContainText("src/moved.txt → src/named.txt");
});

test("a comment on a line fits the panel and goes along with the next message", async ({ person }) => {
  await person.startsChat(`${WORKSPACE}${write("a.py", "x = 1\ny = 2\n")}[[say:written]]`);
  await person.seesAnswer("written");
  await opensTab(person, "Changes");
  const panel = person.page.getByRole("tabpanel", { name: "Changes" });
  await panel.getByRole("button", { name: "Comment on line 2" }).click();
  const box = panel.getByRole("textbox", { name: "Comment" });
  const [outer, inner] = [await panel.boundingBox(), await box.boundingBox()];
  expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
  await box.fill("Use three.");
  await panel.getByRole("button", { name: "Add comment" }).click();
  await expect(person.page.getByRole("region", { name: "Composer" })).toContainText("Use three.");
  await person.says("[[say:noted]]");
  await person.seesAnswer("noted");
  await person.hasSaid("Use three.");
  await expect(person.page.getByRole("region", { name: "Composer" })).not.toContainText("Use three.");
});

test("a picture in the workspace is shown as a picture", async ({ person }) => {
  const dot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const command = `echo ${dot} | base64 -d > dot.png`;
  await person.startsChat(`${WORKSPACE}[[call:execute ${JSON.stringify({ command })}]][[then]][[say:drawn]]`);
  await person.seesAnswer("drawn");
  await opensTab(person, "Files");
  const panel = person.page.getByRole("tabpanel", { name: "Files" });
  await panel.getByRole("button", { name: /dot\.png/ }).click();
  const picture = panel.getByRole("img", { name: "dot.png" });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
});
