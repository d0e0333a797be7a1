import { beforeEach, expect, test } from "vitest";
import { Memory } from "../../stories/memory.ts";
import { contentOf, Drafts, EMPTY_DRAFT } from "./drafts.ts";

let storage: Storage;
beforeEach(() => {
  storage = new Memory();
});

const file = { id: "f", name: "a.txt", media_type: "text/plain", size: 1 };

test("a draft survives a reload, without uploads that were under way", () => {
  const uploading = { id: "2", name: "b", state: { phase: "uploading" as const, share: 0.5 } };
  const ready = { id: "1", name: "a.txt", state: { phase: "ready" as const, file } };
  new Drafts(storage).change("c", (draft) => ({ ...draft, text: "hello", attachments: [ready, uploading] }));
  expect(new Drafts(storage).get("c")).toEqual({ text: "hello", attachments: [ready], comments: [] });
});

test("an emptied draft leaves nothing behind", () => {
  const drafts = new Drafts(storage);
  drafts.change("c", (draft) => ({ ...draft, text: "x" }));
  drafts.change("c", () => EMPTY_DRAFT);
  expect(storage.getItem("draft:c")).toBe(null);
});

test("a full storage loses nothing that is typed", () => {
  storage.setItem = () => {
    throw new Error("quota");
  };
  const drafts = new Drafts(storage);
  drafts.change("c", (draft) => ({ ...draft, text: "x" }));
  expect(drafts.get("c").text).toBe("x");
});

test("files come first, then comments with their lines, then the text", () => {
  const content = contentOf({
    text: " do it ",
    attachments: [{ id: "1", name: "a.txt", state: { phase: "ready", file } }],
    comments: [{ file_name: "a.py", line: 3, content: "x = 1", comment: "rename" }],
  });
  expect(content.map((part) => part.type)).toEqual(["file", "file_reference", "text", "text"]);
});

test("an upload that was taken out of the draft does not come back into it", () => {
  const drafts = new Drafts(storage);
  const going = { id: "1", name: "a.txt", state: { phase: "uploading" as const, share: 0 } };
  drafts.change("c", (draft) => ({ ...draft, attachments: [going] }));
  expect(drafts.attach("c", { ...going, state: { phase: "uploading", share: 0.5 } })).toBe(true);
  drafts.change("c", () => EMPTY_DRAFT);
  expect(drafts.attach("c", { ...going, state: { phase: "ready", file } })).toBe(false);
  expect(drafts.get("c")).toEqual(EMPTY_DRAFT);
});
