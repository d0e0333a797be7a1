/** Forms made from a list of fields: state, what the server said about each, and a button. */

import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, reasonOf } from "../api/errors.ts";
import { Button } from "../ui/Button.tsx";
import { SelectField, Switch, TextArea, TextField } from "../ui/Field.tsx";

export type Values = Record<string, unknown>;

export interface FieldSpec {
  /** Dots reach into objects: `options.context_window`. */
  name: string;
  label: string;
  kind?: "text" | "password" | "number" | "dollars" | "area" | "switch" | "choice" | "list" | "json";
  hint?: ReactNode;
  options?: readonly { value: string; label: string }[];
  required?: boolean;
  placeholder?: string;
  /** Asked only when something is made, or only when it is changed. */
  only?: "create" | "change";
}

interface Props {
  fields: readonly FieldSpec[];
  initial: Values;
  submit: string;
  onSubmit: (values: Values) => Promise<unknown>;
  onDone?: () => void;
  /** More buttons beside the first. */
  children?: ReactNode;
}

const DOLLAR = 1_000_000;

export function read(values: Values, name: string): unknown {
  return name.split(".").reduce<unknown>((value, key) => (value as Values | undefined)?.[key], values);
}

export function written(values: Values, name: string, value: unknown): Values {
  const [first = "", ...rest] = name.split(".");
  if (rest.length === 0) return { ...values, [first]: value };
  return { ...values, [first]: written((values[first] as Values) ?? {}, rest.join("."), value) };
}

/** A password left empty means none was given; a list ends where its last comma does. */
function cleaned(values: Values, field: FieldSpec): Values {
  const value = read(values, field.name);
  if (field.kind === "list" && Array.isArray(value))
    return written(values, field.name, value.filter(Boolean));
  return field.kind === "password" && !value ? written(values, field.name, undefined) : values;
}

export function SpecForm({ fields, initial, submit, onSubmit, onDone, children }: Props) {
  const [values, setValues] = useState<Values>(initial);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(fields.reduce(cleaned, values));
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
      {fields.map((field) => (
        <SpecField
          key={field.name}
          field={field}
          value={read(values, field.name)}
          error={
            problems.find((entry) => entry.field === field.name || entry.field.endsWith(`.${field.name}`))
              ?.detail
          }
          onChange={(value) => setValues((before) => written(before, field.name, value))}
        />
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
      </div>
    </form>
  );
}

interface FieldProps {
  field: FieldSpec;
  value: unknown;
  error?: string;
  onChange: (value: unknown) => void;
}

function SpecField({ field, value, error, onChange }: FieldProps) {
  const { label, hint, required, placeholder } = field;
  const common = { label, hint, error, required, placeholder };
  switch (field.kind) {
    case "switch":
      return <Switch label={label} checked={value === true} onChange={onChange} />;
    case "area":
      return (
        <TextArea
          {...common}
          value={String(value ?? "")}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "json":
      return <JsonField {...common} value={value} onChange={onChange} />;
    case "choice":
      return (
        <SelectField
          label={label}
          hint={hint}
          error={error}
          value={String(value ?? "")}
          options={field.options ?? []}
          onChange={(next) => onChange(next || null)}
        />
      );
    case "list":
      return (
        <TextField
          {...common}
          value={Array.isArray(value) ? value.join(", ") : ""}
          onChange={(event) =>
            onChange(
              event.target.value
                .split(",")
                .map((item) => item.trim())
                .filter((item, at, all) => item || at === all.length - 1),
            )
          }
        />
      );
    case "number":
    case "dollars":
      return (
        <NumberField
          {...common}
          scale={field.kind === "dollars" ? DOLLAR : 1}
          value={value}
          onChange={onChange}
        />
      );
    default:
      return (
        <TextField
          {...common}
          type={field.kind ?? "text"}
          autoComplete="off"
          value={String(value ?? "")}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

type InputProps = Omit<FieldProps, "field"> & Pick<FieldSpec, "label" | "hint" | "required" | "placeholder">;

function NumberField({ value, scale, onChange, ...common }: InputProps & { scale: number }) {
  const shown = typeof value === "number" ? String(value / scale) : "";
  return (
    <TextField
      {...common}
      type="number"
      step="any"
      min={0}
      defaultValue={shown}
      onChange={(event) =>
        onChange(event.target.value === "" ? null : Math.round(Number(event.target.value) * scale))
      }
    />
  );
}

function JsonField({ value, onChange, ...common }: InputProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  return (
    <TextArea
      {...common}
      className="input mono"
      error={wrong ?? common.error}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        try {
          onChange(JSON.parse(event.target.value));
          setWrong(undefined);
        } catch (error) {
          setWrong(String(error));
        }
      }}
    />
  );
}
