import { expect, test } from "vitest";
import { contentOf, type Form, fieldsOf, typedAtFirst } from "./forms.ts";

const FORM: Form = {
  properties: {
    drink: { type: "string", oneOf: [{ const: "tea", title: "Tea" }, { const: "coffee" }] },
    cups: { type: "integer", title: "Cups", default: 2 },
    hot: { type: "boolean" },
    name: { type: "string", description: "Whoever drinks it." },
    with: { type: "array", items: { enum: ["milk", "sugar"], enumNames: ["Milk"] } },
  },
  required: ["drink"],
};

test("a form's fields are what they take", () => {
  expect(fieldsOf(FORM).map(({ name, label, kind, required }) => [name, label, kind, required])).toEqual([
    ["drink", "drink", "one", true],
    ["cups", "Cups", "number", false],
    ["hot", "hot", "boolean", false],
    ["name", "name", "text", false],
    ["with", "with", "several", false],
  ]);
  expect(fieldsOf(FORM).flatMap(({ choices }) => choices.map(({ label }) => label))).toEqual([
    "Tea",
    "coffee",
    "Milk",
    "sugar",
  ]);
});

test("what is left blank is left out, and what is proposed is there at first", () => {
  expect(contentOf(FORM, typedAtFirst(FORM))).toEqual({ cups: 2, hot: false });
  expect(contentOf(FORM, { drink: "tea", cups: "3", hot: true, name: "", with: ["milk"] })).toEqual({
    drink: "tea",
    cups: 3,
    hot: true,
    with: ["milk"],
  });
});

test("a call that shows no form asks for nothing", () => {
  expect(fieldsOf({})).toEqual([]);
  expect(contentOf({}, {})).toEqual({});
});
