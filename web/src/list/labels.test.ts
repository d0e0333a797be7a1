import { expect, test } from "vitest";
import { labelled, labelOf, sharedLabels, wordsOfLabel } from "./labels.ts";

test("a label is a word, or a name with a value", () => {
  expect([labelOf("urgent"), labelOf(" team:  docs "), labelOf("team:"), labelOf(" ")]).toEqual([
    ["urgent", "yes"],
    ["team", "docs"],
    null,
    null,
  ]);
  expect([wordsOfLabel("urgent", "yes"), wordsOfLabel("team", "docs")]).toEqual(["urgent", "team: docs"]);
});

test("labels are set, replaced and taken away, and several chats share what all of them have", () => {
  expect(labelled({ team: "docs" }, "team", "web")).toEqual({ team: "web" });
  expect(labelled({ team: "docs" }, "team", null)).toEqual({});
  expect(sharedLabels([{ team: "docs", urgent: "yes" }, { team: "docs" }])).toEqual({ team: "docs" });
});
