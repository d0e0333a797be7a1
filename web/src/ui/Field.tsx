import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react";

interface Common {
  label: string;
  hint?: ReactNode;
  error?: string;
}

export function TextField({ label, hint, error, ...rest }: Common & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input id={id} className="input" aria-invalid={!!error} aria-describedby={`${id}-note`} {...rest} />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  ...rest
}: Common & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        className="input"
        aria-invalid={!!error}
        aria-describedby={`${id}-note`}
        rows={5}
        {...rest}
      />
    </Frame>
  );
}

interface SelectProps<Value extends string> extends Common {
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  value,
  options,
  onChange,
}: SelectProps<Value>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        className="input"
        value={value}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}

interface SwitchProps {
  label: string;
  /** A second line, for what the first does not say. */
  about?: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

export function Switch({ label, about, checked, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <label className="switch">
      <input
        type="checkbox"
        role="switch"
        aria-labelledby={id}
        aria-describedby={about && `${id}-about`}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        <span id={id}>{label}</span>
        {about && (
          <span id={`${id}-about`} className="switch-about">
            {about}
          </span>
        )}
      </span>
    </label>
  );
}

function Frame({ id, label, hint, error, children }: Common & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <div id={`${id}-note`}>
        {error ? (
          <div className="field-error">{error}</div>
        ) : (
          hint && <div className="field-hint">{hint}</div>
        )}
      </div>
    </div>
  );
}
