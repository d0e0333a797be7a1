/** One field of a form, of whichever kind. */

import { type ReactNode, useState } from "react";
import { SelectField, Switch, TextArea, TextField } from "../ui/Field.tsx";
import { Percent } from "../ui/Percent.tsx";
import { pairsIn, pairsText, type Values } from "./values.ts";

const DOLLAR = 1_000_000;

export interface FieldSpec {
  /** Dots reach into objects: `options.context_window`. */
  name: string;
  label: string;
  kind?:
    | "text"
    | "password"
    | "number"
    | "dollars"
    | "area"
    | "code"
    | "switch"
    | "choice"
    | "several"
    | "list"
    | "pairs"
    | "percent";
  hint?: ReactNode;
  /** What the values so far would mean, shown below it. */
  below?: (values: Values) => ReactNode;
  /** How many lines of text it shows. */
  rows?: number;
  options?: readonly { value: string; label: string; about?: string }[];
  required?: boolean;
  placeholder?: string;
  /** What an empty list stands for, where that is not an empty list. */
  none?: null;
  /** The context window that a percentage is of, where the other values say it. */
  window?: (values: Values) => number | undefined;
  /** What stands there unless somebody says otherwise. */
  usual?: string | number | boolean | null;
  /** Asked only while the other values are such. */
  when?: (values: Values) => boolean;
  /** Asked only when something is made, or only when it is changed. */
  only?: "create" | "change";
}

interface FieldProps {
  field: FieldSpec;
  value: unknown;
  error?: string;
  /** All values of the form. */
  values?: Values;
  onChange: (value: unknown) => void;
}

export function SpecField({ field, value: given, error, values = {}, onChange }: FieldProps) {
  const { label, hint, required, placeholder } = field;
  const value = given ?? field.usual;
  const common = { label, hint, error, required, placeholder };
  switch (field.kind) {
    case "switch":
      return <Switch label={label} checked={value === true} onChange={onChange} />;
    case "area":
      return (
        <TextArea
          {...common}
          rows={field.rows ?? 5}
          value={String(value ?? "")}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "code":
      return (
        <TextArea
          {...common}
          className="input mono"
          rows={field.rows ?? 12}
          spellCheck={false}
          value={String(value ?? "")}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "pairs":
      return <PairsField {...common} value={value} onChange={onChange} />;
    case "several":
      return <SeveralField field={field} value={value} error={error} onChange={onChange} />;
    case "percent":
      return (
        <div className="field">
          <span className="field-label">{label}</span>
          <Percent
            label={label}
            value={typeof value === "number" ? value : 100}
            window={field.window?.(values)}
            onChange={onChange}
          />
          {error ? <div className="field-error">{error}</div> : <div className="field-hint">{hint}</div>}
        </div>
      );
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

type InputProps = Omit<FieldProps, "field" | "values"> &
  Pick<FieldSpec, "label" | "hint" | "required" | "placeholder">;

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

function SeveralField({ field, value, error, onChange }: FieldProps) {
  const chosen = Array.isArray(value) ? (value as string[]) : [];
  const flip = (name: string, on: boolean) =>
    onChange(
      (field.options ?? [])
        .map((option) => option.value)
        .filter((each) => (each === name ? on : chosen.includes(each))),
    );
  return (
    <fieldset className="several">
      <legend>{field.label}</legend>
      {(field.options ?? []).length > 0 && (
        <div className="boxes">
          {(field.options ?? []).map((option) => (
            <Switch
              key={option.value}
              label={option.label}
              about={option.about}
              checked={chosen.includes(option.value)}
              onChange={(on) => flip(option.value, on)}
            />
          ))}
        </div>
      )}
      {error ? (
        <div className="field-error">{error}</div>
      ) : (
        field.hint && <div className="field-hint">{field.hint}</div>
      )}
    </fieldset>
  );
}

function PairsField({ value, onChange, ...common }: InputProps) {
  const [text, setText] = useState(() => pairsText(value));
  return (
    <TextArea
      {...common}
      className="input mono"
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(pairsIn(event.target.value));
      }}
    />
  );
}
