/** Who one is, where one is signed in, and how the page looks. */

import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { useMe } from "../app/session.ts";
import { setTheme, type Theme, useTheme } from "../app/theme.ts";
import { SelectField } from "../ui/Field.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { Section } from "./Section.tsx";
import { Sessions } from "./Sessions.tsx";

const PROFILE: FieldSpec[] = [
  { name: "name", label: "Name" },
  { name: "password", label: "New password", kind: "password", hint: "Leave empty to keep the current one." },
  {
    name: "old_password",
    label: "Current password",
    kind: "password",
    hint: "Required unless you have just signed in.",
  },
];
const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
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
    say("Saved.");
  };
  return (
    <>
      <Section title="Profile" about={`${me.email} · ${me.role}`}>
        <SpecForm fields={PROFILE} initial={{ name: me.name }} submit="Save" onSubmit={save} />
      </Section>
      <Sessions />
      <Section title="Appearance">
        <SelectField label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      </Section>
    </>
  );
}
