/**
 * The one door for words that people read: English as it stands in the code, other languages by their catalogues.
 *
 * The language is known and its catalogue loaded before any other module runs, so words may be asked for anywhere,
 * also where constants are made. Who chooses another language gets the page anew.
 */

import { setupI18n } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";

/** In their own words: whoever looks for theirs may read no other. */
export const LANGUAGES = {
  en: { name: "English", direction: "ltr" },
  de: { name: "Deutsch", direction: "ltr" },
  ar: { name: "العربية", direction: "rtl" },
} as const;
export type Language = keyof typeof LANGUAGES;

const CATALOGUES = import.meta.glob<Record<string, string>>("./catalogues/*.json", { import: "default" });
const CHOSEN = "language";

const catalogue = setupI18n({ locale: "en", messages: { en: {} } });
catalogue.setMessagesCompiler(compileMessage);

/** A text in the language that is spoken, with its values filled in. The text itself is the English one. */
export function t(text: string, values?: Record<string, string | number>): string {
  return catalogue._(text, values);
}

export function spoken(): Language {
  return catalogue.locale as Language;
}

/** Whether the page begins at its right edge. */
export function mirrored(): boolean {
  return LANGUAGES[spoken()].direction === "rtl";
}

/** Which customs numbers and dates follow: those of the browser's region, where its people speak the language. */
export function locale(): string {
  return preferences().find((name) => languageOf(name) === spoken()) ?? spoken();
}

/** What somebody chose in this browser, else the first of the browser's languages that there is. */
export function preferred(): Language {
  const names = [globalThis.localStorage?.getItem(CHOSEN), ...preferences()];
  return names.map(languageOf).find((name) => name !== undefined) ?? "en";
}

export function choose(language: Language): void {
  localStorage.setItem(CHOSEN, language);
  location.reload();
}

async function speak(language: Language): Promise<void> {
  const messages = (await CATALOGUES[`./catalogues/${language}.json`]?.()) ?? {};
  catalogue.loadAndActivate({ locale: language, messages });
  const page = globalThis.document?.documentElement;
  if (!page) return;
  page.lang = language;
  page.dir = LANGUAGES[language].direction;
}

function preferences(): readonly string[] {
  return globalThis.navigator?.languages ?? [];
}

function languageOf(name: string | null | undefined): Language | undefined {
  const language = name?.split("-")[0] ?? "";
  return language in LANGUAGES ? (language as Language) : undefined;
}

await speak(preferred());
