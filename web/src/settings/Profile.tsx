/** Who one is, where one is signed in, and how the page looks. */

import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { useMe } from "../page/session.ts";
import { setTheme, type Theme, useTheme } from "../page/theme.ts";
import { SelectField } from "../ui/Field.tsx";
import { LanguageField } from "../ui/LanguageField.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { Section } from "./Section.tsx";
import { Sessions } from "./Sessions.tsx";

const PROFILE: FieldSpec[] = [
  { name: "name", label: t("Name") },
  {
    name: "password",
    label: t("New password"),
    kind: "password",
    hint: t("Leave empty to keep the current one."),
  },
  {
    name: "old_password",
    label: t("Current password"),
    kind: "password",
    hint: t("Required unless you have just signed in."),
  },
];
const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: t("System") },
  { value: "light", label: t("Light") },
  { value: "dark", label: t("Dark") },
];

export function Profile() {
  const me = useMe();
  const theme = useTheme();
  const client = useQueryClient();
  const { say } = useToasts();
  const save = async ({ name, password, old_password }: Values) => {
    await api.patch("/me", {
      name,
      ...(password ? { password } : {}),
      ...(old_password ? { old_password } : {}),
    });
    await client.invalidateQueries({ queryKey: ["me"] });
    say(t("Saved."));
  };
  return (
    <>
      <Section title={t("Profile")} about={`${me.email} · ${termOf(me.role)}`}>
        <SpecForm fields={PROFILE} initial={{ name: me.name }} submit={t("Save")} onSubmit={save} />
      </Section>
      <Sessions />
      <Section title={t("Appearance")}>
        <SelectField label={t("Theme")} value={theme} options={THEMES} onChange={setTheme} />
        <LanguageField />
      </Section>
    </>
  );
}
