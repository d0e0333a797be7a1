import { expect, test } from "vitest";
import { Memory } from "../stories/memory.ts";
import { claim } from "./owner.ts";

test("what somebody typed is there when they sign in again, and gone when somebody else does", () => {
  const storage = new Memory();
  storage.setItem("draft:new", "half a thought");
  claim(storage, "ada");
  storage.setItem("send:c:1", "a message");
  storage.setItem("theme", "dark");
  claim(storage, "ada");
  expect(storage.getItem("draft:new")).toBe("half a thought");
  claim(storage, "bob");
  expect([storage.getItem("draft:new"), storage.getItem("send:c:1")]).toEqual([null, null]);
  expect(storage.getItem("theme")).toBe("dark");
});
