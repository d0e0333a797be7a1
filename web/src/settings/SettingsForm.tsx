/** A page of settings: a group each, and one button that saves what was changed. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { api } from "../api/client.ts";
import { ApiError, reasonOf } from "../api/errors.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useUnsaved } from "../ui/unsaved.ts";
import { type FieldSpec, SpecField } from "./fields.tsx";
import { Problem, Section } from "./Section.tsx";
import { cleaned, read, same, tidy, type Values, written } from "./values.ts";

export interface SettingGroup {
  /** What the setting is called on the server. */
  name: string;
  title: string;
  about?: ReactNode;
  /** A single field named `value` sets the whole value; several set the fields of an object. */
  fields?: readonly FieldSpec[];
  /** What draws it, where fields do not. */
  view?: (value: unknown, onChange: (value: unknown) => void) => ReactNode;
}

interface Props {
  /** Where the settings are read: the organisation's, or one's own. */
  base: "/settings" | "/me/settings";
  groups: readonly SettingGroup[];
}

export function useSettings(base: Props["base"]) {
  return useQuery({ queryKey: ["settings", base], queryFn: () => api.get(base), retry: false });
}

export function SettingsForm({ base, groups }: Props) {
  const { data, error } = useSettings(base);
  return data ? (
    <Groups base={base} groups={groups} stored={data} />
  ) : (
    <Section title={groups[0]?.title ?? ""}>
      <Problem error={error} />
    </Section>
  );
}

function Groups({ base, groups, stored }: Props & { stored: Values }) {
  const client = useQueryClient();
  const { say } = useToasts();
  const [edits, setEdits] = useState<Values>({});
  const [problems, setProblems] = useState<Record<string, unknown>>({});
  const [busy, setBusy] = useState(false);
  /** Fields that keep what is typed begin anew with it. */
  const [round, setRound] = useState(0);
  const current = ({ name }: SettingGroup) => (name in edits ? edits[name] : stored[name]);
  const changed = groups.filter((group) => !same(current(group), stored[group.name]));
  useUnsaved(changed.length > 0);
  const discard = () => {
    setEdits({});
    setProblems({});
    setRound(round + 1);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const refused: Record<string, unknown> = {};
    for (const group of changed)
      await api
        .put(`${base}/${group.name}`, { value: sentOf(group, current(group)) })
        .catch((error: unknown) => {
          refused[group.name] = error;
        });
    await client.invalidateQueries({ queryKey: ["settings"] });
    setProblems(refused);
    setEdits((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name in refused)));
    if (Object.keys(refused).length === 0) say(t("Saved."));
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void save(event)}>
      {groups.map((group) => (
        <Section
          key={`${group.name} ${round}`}
          title={group.title}
          about={group.about}
          mark={changed.includes(group) && <span className="pill pill-warn">{t("unsaved")}</span>}
        >
          <GroupFields
            group={group}
            value={current(group)}
            problem={problems[group.name]}
            onChange={(value) => setEdits((before) => ({ ...before, [group.name]: value }))}
          />
        </Section>
      ))}
      <section className="save-bar" aria-label={t("Save")}>
        <p className="grow" role="status">
          {changed.length > 0
            ? t("{count, plural, one {# unsaved change} other {# unsaved changes}}: {names}", {
                count: changed.length,
                names: changed.map((group) => group.title).join(", "),
              })
            : t("All changes saved.")}
        </p>
        {changed.length > 0 && <Button onClick={discard}>{t("Discard")}</Button>}
        <Button look="primary" type="submit" disabled={busy || changed.length === 0}>
          {t("Save")}
        </Button>
      </section>
    </form>
  );
}

interface GroupProps {
  group: SettingGroup;
  value: unknown;
  problem: unknown;
  onChange: (value: unknown) => void;
}

function GroupFields({ group, value, problem, onChange }: GroupProps) {
  const whole = isWhole(group);
  const values: Values = whole ? { value } : ((value as Values | undefined) ?? {});
  const about = problem instanceof ApiError ? problem.validations : [];
  return (
    <div className="stack form">
      {group.view?.(value, onChange)}
      {(group.fields ?? []).map((field) => (
        <SpecField
          key={field.name}
          field={field}
          value={read(values, field.name)}
          values={values}
          error={about.find((entry) => entry.field.endsWith(field.name))?.detail}
          onChange={(next) => onChange(whole ? next : written(values, field.name, next))}
        />
      ))}
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {reasonOf(problem)}
        </p>
      )}
    </div>
  );
}

function isWhole({ fields, view }: SettingGroup): boolean {
  return view !== undefined || (fields?.length === 1 && fields[0]?.name === "value");
}

function sentOf(group: SettingGroup, value: unknown): unknown {
  const fields = group.fields ?? [];
  if (isWhole(group)) return fields.reduce(cleaned, { value }).value ?? null;
  return tidy(fields.reduce(cleaned, value as Values));
}
