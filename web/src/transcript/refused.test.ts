import { expect, test } from "vitest";
import type { Message } from "../api/types.ts";
import { refusedSince } from "./RefusedRequests.tsx";

const said = (role: string, parts: object[], created_at: string) =>
  ({ role, parts, created_at, number: 1, revision: 1 }) as unknown as Message;
const asked = said("user", [{ type: "text", text: "Fetch it." }], "2026-01-01T00:00:00Z");
const result = (text: string) =>
  said("tool", [{ type: "tool_result", result: text }], "2026-01-01T00:00:01Z");

test("a refusal counts from the question on that it answers", () => {
  const refused = result(
    "curl: (56)\n[The network refused GET a.example:443/: no rule. The user can allow it.]",
  );
  expect(refusedSince([asked, refused])).toBe("2026-01-01T00:00:00Z");
  expect(refusedSince([asked, refused, asked])).toBeUndefined();
  expect(refusedSince([asked, result("fine")])).toBeUndefined();
  expect(refusedSince([])).toBeUndefined();
});
