import { choose, LANGUAGES, type Language, spoken, t } from "../language/catalogue.ts";
import { SelectField } from "./Field.tsx";

const OPTIONS = Object.entries(LANGUAGES).map(([value, { name }]) => ({
  value: value as Language,
  label: name,
}));

/** The language of the page, for this browser. */
export function LanguageField() {
  return <SelectField label={t("Language")} value={spoken()} options={OPTIONS} onChange={choose} />;
}
