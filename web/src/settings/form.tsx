/** Forms made from a list of fields: state, what the server said about each, and a button. */

import { type FormEvent, Fragment, type ReactNode, useState } from "react";
import { ApiError, reasonOf } from "../api/errors.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useUnsaved } from "../ui/unsaved.ts";
import { type FieldSpec, SpecField } from "./fields.tsx";
import { cleaned, read, same, type Values, written } from "./values.ts";

export type { FieldSpec, Values };

interface Props {
  fields: readonly FieldSpec[];
  initial: Values;
  submit: string;
  onSubmit: (values: Values) => Promise<unknown>;
  onDone?: () => void;
  /** More buttons beside the first. */
  children?: ReactNode;
}

export function SpecForm({ fields, initial, submit, onSubmit, onDone, children }: Props) {
  const [values, setValues] = useState<Values>(initial);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  /** What was sent last is what there is. */
  const [stored, setStored] = useState<Values>(initial);
  const changed = !same(values, stored);
  useUnsaved(changed);
  const asked = fields.filter((field) => field.when?.(values) ?? true);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(asked.reduce(cleaned, values));
      setStored(values);
      onDone?.();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const problems = problem instanceof ApiError ? problem.validations : [];
  return (
    <form className="stack form" onSubmit={(event) => void send(event)}>
      {asked.map((field) => (
        <Fragment key={field.name}>
          <SpecField
            field={field}
            value={read(values, field.name)}
            values={values}
            error={
              problems.find((entry) => entry.field === field.name || entry.field.endsWith(`.${field.name}`))
                ?.detail
            }
            onChange={(value) => setValues((before) => written(before, field.name, value))}
          />
          {field.below?.(values)}
        </Fragment>
      ))}
      {problem !== null && (
        <p className="field-error" role="alert">
          {reasonOf(problem)}
        </p>
      )}
      <div className="spread wrap">
        <Button look="primary" type="submit" disabled={busy}>
          {submit}
        </Button>
        {children}
        {changed && <span className="pill pill-warn">{t("unsaved")}</span>}
      </div>
    </form>
  );
}
