/** The agent at work: a workspace, commands with live output, files, an approval, a plan, a summary. */

import { expect, type Person, test } from "./page.ts";

const WORKSPACE = '[[call:create_workspace {"template": "blank"}]][[then]]';

async function open(person: Person, name: RegExp): Promise<void> {
  await person.transcript.getByRole("button", { name }).first().click();
}

/** Another chat that works where the open one does. */
async function inTheSameWorkspace(person: Person, text: string): Promise<void> {
  const path = new URL(person.page.url()).pathname;
  const { chat } = await person.asks<{ chat: { workspace_id: string } }>("GET", path);
  const { workspace_id } = chat;
  await person.asks("POST", "/chats", { content: [{ type: "text", text }], workspace_id });
}

test("a command shows its output while it runs, and how it ended", async ({ person }) => {
  const command = "echo begun; until [ -e go ]; do sleep 0.1; done; echo ended; exit 3";
  // On a busy machine the file comes late: the command is waited for, and not left to itself.
  const call = JSON.stringify({ command, timeout: 600 });
  await person.startsChat(`${WORKSPACE}[[call:execute ${call}]][[then]][[say:all done]]`);
  await open(person, /Running echo/);
  await expect(person.transcript.locator(".output")).toContainText("begun");
  await inTheSameWorkspace(person, '[[call:write_file {"path": "go", "content": ""}]]');
  await person.reads("exit 3");
  await expect(person.transcript.locator(".output")).toContainText("ended");
  await person.reads("all done");
});

test("an edit shows its diff", async ({ person }) => {
  const write = '[[call:write_file {"path": "a.py", "content": "x = 1\\ny = 2\\n"}]][[then]]';
  const edit =
    '[[call:edit_files {"files": [{"path": "a.py", "edits": [{"old_text": "y = 2", "new_text": "y = 3"}]}]}]][[then]]';
  await person.startsChat(`${WORKSPACE}${write}${edit}[[say:edited]]`);
  await person.reads("edited");
  await person.seesRest();
  await open(person, /^Worked/);
  await open(person, /Edited a.py/);
  await expect(person.transcript.locator(".diff-added .diff-code")).toHaveText("y = 3");
  await expect(person.transcript.locator(".diff-removed .diff-code")).toHaveText("y = 2");
});

test("a call that needs approval asks, and runs once approved", async ({ person }) => {
  await person.startsChat(`${WORKSPACE}[[say:ready]]`);
  await person.reads("ready");
  await person.seesRest();
  await person.asks("PATCH", new URL(person.page.url()).pathname, { approvals: { execute: "ask" } });
  await person.says('[[call:execute {"command": "echo approved"}]][[then]][[say:it ran]]');
  const card = person.page.getByRole("region", { name: "Approval needed" });
  await expect(card).toContainText("echo approved");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await person.reads("it ran");
});

test("two calls at once are decided one by one, and a denial says why", async ({ person }) => {
  await person.startsChat(`${WORKSPACE}[[say:ready]]`);
  await person.reads("ready");
  await person.seesRest();
  const approvals = { execute: "ask", write_file: "ask" };
  await person.asks("PATCH", new URL(person.page.url()).pathname, { approvals });
  const write = '[[call:write_file {"path": "a.txt", "content": "first\\nsecond\\n"}]]';
  await person.says(`${write}[[call:execute {"command": "echo approved"}]][[then]][[say:both are answered]]`);
  const card = person.page.getByRole("region", { name: "Approval needed" });
  const [file, command] = [card.getByRole("listitem").nth(0), card.getByRole("listitem").nth(1)];
  await expect(file).toContainText("first\nsecond");
  await file.getByRole("button", { name: "Deny" }).press("d");
  await person.page.keyboard.type("Use another folder.");
  await person.page.keyboard.press("Enter");
  await expect(file).toContainText("Denied");
  await command.getByRole("button", { name: "Approve", exact: true }).press("a");
  await person.seesAnswer("both are answered");
  await person.transcript
    .getByRole("button", { name: /^Worked/ })
    .last()
    .click();
  await open(person, /Wrote a.txt/);
  await person.reads("The user denied this call. Reason: Use another folder.");
});

test("older messages can be summarised by hand", async ({ person }) => {
  await person.startsChat("[[say:900 tokens]]");
  await person.seesAnswer("the old sea");
  await person.says("[[say:the second answer]]");
  await person.reads("the second answer");
  await person.seesRest();
  await person.says("/compact");
  await person.reads("Context compacted");
  await person.seesRest();
});
