import { type CompiledMessage, compileMessage } from "@lingui/message-utils/compileMessage";
import { expect, test } from "vitest";
import { catalogues, escaped, texts } from "../../scripts/texts.mjs";
import { LANGUAGES, t } from "./catalogue.ts";

const used = texts();
const known = catalogues();

/** The names of a message's values, and the kinds of numbers that each of its plurals knows. */
function valuesOf(message: CompiledMessage, names: Set<string> = new Set(), plurals: string[][] = []) {
  if (typeof message === "string") return { names, plurals };
  for (const token of message) {
    if (!Array.isArray(token)) continue;
    const [name, kind, forms] = token;
    if (name !== "#") names.add(String(name));
    if (kind !== "plural" || typeof forms !== "object") continue;
    const { offset: _, ...cases } = forms as Record<string, CompiledMessage>;
    plurals.push(Object.keys(cases).sort());
    for (const form of Object.values(cases)) valuesOf(form, names, plurals);
  }
  return { names, plurals };
}

const read = (message: string) => valuesOf(compileMessage(message));

test("every language but English has a catalogue", () => {
  expect(known.map(({ language }) => language).sort()).toEqual(
    Object.keys(LANGUAGES)
      .filter((language) => language !== "en")
      .sort(),
  );
});

test("no text escapes the catalogues", () => {
  expect(escaped()).toEqual([]);
});

test.each(known)("$language has every text, and none that nobody says", ({ messages }) => {
  expect(Object.keys(messages).sort()).toEqual(used);
  expect(Object.entries(messages).filter(([, words]) => !words.trim())).toEqual([]);
});

test.each(known)("$language keeps the values of every text", ({ messages }) => {
  const differ = used.filter(
    (text) => [...read(text).names].sort().join() !== [...read(messages[text] ?? "").names].sort().join(),
  );
  expect(differ).toEqual([]);
});

test.each([{ language: "en", messages: Object.fromEntries(used.map((text) => [text, text])) }, ...known])(
  "$language has a form for every kind of number that it knows",
  ({ language, messages }) => {
    const kinds = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
    const lacking = Object.values(messages).filter((message) =>
      read(message).plurals.some((forms) => forms.join() !== kinds.join()),
    );
    expect(lacking).toEqual([]);
  },
);

test("values and plurals are filled in", () => {
  expect(t("{at} of {count}", { at: 2, count: 7 })).toBe("2 of 7");
  const said = (count: number) => t("{count, plural, one {# file} other {# files}}", { count });
  expect([said(1), said(1_200)]).toEqual(["1 file", "1,200 files"]);
});
