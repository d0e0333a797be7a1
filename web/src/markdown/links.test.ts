import { expect, test } from "vitest";
import { safeAddress } from "./links.ts";

test("only addresses that cannot run code are links", () => {
  for (const bad of [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:x",
    "foo",
  ]) {
    expect([bad, safeAddress(bad)]).toEqual([bad, null]);
  }
  for (const good of [
    "https://example.org/a?b#c",
    "http://example.org",
    "mailto:a@example.org",
    "/chats/1",
    "#part",
  ]) {
    expect(safeAddress(good)).toBe(good);
  }
});
