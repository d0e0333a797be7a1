import { expect, test } from "vitest";
import { found, inEffect, ruled, toolsWith } from "./approvals.ts";

const EXECUTE = { name: "execute", description: "Run a command." };

test("the nearest word counts, except against what the organisation denies", () => {
  const organisation = { execute: "ask" } as const;
  expect([
    inEffect(EXECUTE, {}),
    inEffect({ ...EXECUTE, asks: true }, {}),
    inEffect(EXECUTE, { organisation }),
    inEffect(EXECUTE, { organisation, person: { execute: "auto" } }),
    inEffect(EXECUTE, { organisation, person: { execute: "auto" }, chat: { execute: "deny" } }),
    inEffect(EXECUTE, { organisation: { execute: "deny" }, chat: { execute: "auto" } }),
  ]).toEqual([
    { policy: "auto", by: "default" },
    { policy: "ask", by: "default" },
    { policy: "ask", by: "organisation" },
    { policy: "auto", by: "person" },
    { policy: "deny", by: "chat" },
    { policy: "deny", by: "organisation" },
  ]);
});

test("a tool that only a rule names is listed, and found by its words", () => {
  const tools = toolsWith([EXECUTE], {
    organisation: undefined,
    person: { github__search: "ask", execute: "ask" },
  });
  expect(tools).toEqual([EXECUTE, { name: "github__search", description: "" }]);
  expect(found(tools, "command RUN")).toEqual([EXECUTE]);
  expect(found(tools, "hub search")).toEqual([{ name: "github__search", description: "" }]);
});

test("a rule is set, and taken back without a trace", () => {
  expect(ruled({ recall: "deny" }, "execute", "ask")).toEqual({ recall: "deny", execute: "ask" });
  expect(ruled({ execute: "ask" }, "execute", null)).toEqual({});
});
