import { useId } from "react";

interface Props<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  disabled?: boolean;
  onChange: (value: Value) => void;
}

/** A few choices side by side, of which one is chosen: one stop of the Tab key, arrows between them. */
export function Segments<Value extends string>({ label, options, value, disabled, onChange }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className="segments" disabled={disabled}>
      <legend className="only-spoken">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
