import { expect, test } from "vitest";
import type { CatalogEntry } from "../api/types.ts";
import { choices } from "./offered.ts";

const entry = (id: string, dialect: string) => ({ id, dialect, context_window: 200_000 }) as CatalogEntry;
const CATALOG = [entry("gpt-5", "openai_chat"), entry("claude-opus-5", "anthropic_messages")];

test("what a provider lists is offered, what is known of it first and filled in", () => {
  expect(choices(CATALOG, ["qwen3", "gpt-5"], "openai_chat")).toEqual([CATALOG[0], { id: "qwen3" }]);
});

test("without a list the catalog of its dialect is offered", () => {
  expect(choices(CATALOG, [], "anthropic_messages")).toEqual([CATALOG[1]]);
});
