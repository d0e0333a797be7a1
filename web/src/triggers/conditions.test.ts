import { expect, test } from "vitest";
import { conditionsIn, conditionsText } from "./conditions.ts";

test("conditions are lines, and come back as they went", () => {
  const conditions = [
    { path: "body.action", test: "is" as const, values: ["opened", "reopened"] },
    { path: "headers.x-github-event", test: "is_not" as const, values: ["push"] },
    { path: "body.issue", test: "exists" as const, values: [] },
  ];
  expect(conditionsText(conditions)).toBe(
    "body.action is opened | reopened\nheaders.x-github-event is_not push\nbody.issue exists",
  );
  expect(conditionsIn(conditionsText(conditions))).toEqual(conditions);
});

test("blank lines mean nothing, and a line that cannot be read is left to the server", () => {
  expect(conditionsIn("\n  \nbody.action == opened\n")).toEqual([
    { path: "body.action == opened", test: "is", values: [] },
  ]);
  expect(conditionsText()).toBe("");
});
