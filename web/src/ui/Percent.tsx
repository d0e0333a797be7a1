import { useId } from "react";
import { t } from "../language/catalogue.ts";
import { tokens } from "./format.ts";

interface Props {
  label: string;
  value: number;
  /** The model's context window, where it is known. */
  window?: number;
  onChange: (value: number) => void;
}

const within = (value: number) => Math.max(1, Math.min(100, Math.round(value) || 1));

/** A share of a context window: a slider, the number, and what that is in tokens. */
export function Percent({ label, value, window, onChange }: Props) {
  const id = useId();
  return (
    <div className="percent">
      <input
        type="range"
        min={1}
        max={100}
        aria-label={label}
        aria-describedby={id}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <input
        type="number"
        className="input"
        min={1}
        max={100}
        aria-label={t("{label}, in percent", { label })}
        aria-describedby={id}
        value={value}
        onChange={(event) => onChange(within(Number(event.target.value)))}
      />
      <span aria-hidden>%</span>
      <span id={id} className="quiet small">
        {value === 100 ? t("never automatically") : windowWords(value, window)}
      </span>
    </div>
  );
}

function windowWords(value: number, window: number | undefined): string {
  if (!window) return t("window unknown");
  return t("{used} of {window} tokens", {
    used: tokens(Math.round((window * value) / 100)),
    window: tokens(window),
  });
}
