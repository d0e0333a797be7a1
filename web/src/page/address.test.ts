import { expect, test } from "vitest";
import { withFields } from "./address.ts";

test("a field is set, changed and left out, and the others stay", () => {
  expect(withFields("", { version: 3 })).toBe("?version=3");
  expect(withFields("show=unread&version=3", { version: 5 })).toBe("?show=unread&version=5");
  expect(withFields("show=unread&version=3", { version: null })).toBe("?show=unread");
  expect(withFields("version=3", { version: null })).toBe("");
  expect(withFields("show=unread", { show: null, label: "team:red" })).toBe("?label=team%3Ared");
});
