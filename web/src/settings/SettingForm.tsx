/** One named setting with its form. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { tidy } from "../admin/ModelForm.tsx";
import { api } from "../api/client.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { Problem, Section } from "./Section.tsx";

interface Props {
  title: string;
  about?: ReactNode;
  /** Where all settings are read: `/settings`, or one's own. */
  base: "/settings" | "/me/settings";
  name: string;
  /** A single field named `value` sets the whole value; several set the fields of an object. */
  fields: readonly FieldSpec[];
}

export function SettingForm({ title, about, base, name, fields }: Props) {
  const client = useQueryClient();
  const { say } = useToasts();
  const key = ["settings", base, base === "/settings" ? "" : name];
  const { data, error, isSuccess } = useQuery({
    queryKey: key,
    queryFn: () => api.get<Values>(base === "/settings" ? base : `${base}/${name}`),
    retry: false,
  });
  const whole = fields.length === 1 && fields[0]?.name === "value";
  const stored = base === "/settings" ? data?.[name] : (data?.value ?? data?.[name] ?? data);
  const initial = whole ? { value: stored } : ((stored as Values | undefined) ?? {});
  const save = async (values: Values) => {
    await api.put(`${base}/${name}`, { value: whole ? (values.value ?? null) : tidy(values) });
    await client.invalidateQueries({ queryKey: ["settings"] });
    say("Saved.");
  };
  return (
    <Section title={title} about={about}>
      <Problem error={error} />
      {isSuccess && (
        <SpecForm
          key={JSON.stringify(initial)}
          fields={fields}
          initial={initial}
          submit="Save"
          onSubmit={save}
        />
      )}
    </Section>
  );
}
