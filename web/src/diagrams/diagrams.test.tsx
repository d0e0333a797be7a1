/** Diagrams as models write them: with line breaks in labels, and with mistakes. */

import { expect, test } from "vitest";
import { drawn } from "./drawn.ts";
import { shown } from "./shown.ts";

const draw = (source: string) => drawn({ request: 1, id: "diagram1", source, theme: "light" });

test.each([
  ["flowchart", 'flowchart TD\n  A["first<br>second"] --> B["third<br/>fourth"]'],
  ["sequence", "sequenceDiagram\n  A->>B: first<br>second"],
  ["state", "stateDiagram-v2\n  s1: first<br>second\n  [*] --> s1"],
  ["class", 'classDiagram\n  class A["first<br>second"]'],
])("a %s with line breaks in its labels is drawn", async (_kind, source) => {
  const answer = await draw(source);
  if (!("svg" in answer)) throw new Error(answer.reason);
  const root = shown(answer, new CSSStyleSheet());
  expect(root.localName).toBe("svg");
  expect(root.querySelector("parsererror")).toBe(null);
  expect(root.textContent).toContain("first");
  expect(root.textContent).toContain("second");
  expect(root.textContent).not.toContain("<br");
});

test("one that cannot be drawn says where its mistake is", async () => {
  expect(await draw("flowchart TD\n  A[never closed --> B")).toMatchObject({
    reason: expect.stringContaining("Parse error on line"),
  });
});

test("markup that is no drawing is a mistake, not an empty place", () => {
  const broken = { request: 1, svg: "<svg xmlns='http://www.w3.org/2000/svg'><br></svg>", css: "" };
  expect(() => shown(broken, new CSSStyleSheet())).toThrow("could not be read");
});
