import type { KeyboardEvent, PointerEvent } from "react";
import { mirrored } from "../language/catalogue.ts";

interface Props {
  label: string;
  value: number;
  least: number;
  most: number;
  /** Dragging to where lines begin makes the column wider. */
  reversed?: boolean;
  onChange: (value: number) => void;
}

const STEP = 24;

/** The line between two columns; it can be dragged, or moved with the arrow keys. */
export function Divider({ label, value, least, most, reversed = false, onChange }: Props) {
  const set = (next: number) => onChange(Math.max(least, Math.min(most, Math.round(next))));
  const sign = reversed !== mirrored() ? -1 : 1;
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const move = (moved: globalThis.PointerEvent) => set(value + sign * (moved.clientX - from));
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", () => target.removeEventListener("pointermove", move), {
      once: true,
    });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") set(value - sign * STEP);
    if (event.key === "ArrowRight") set(value + sign * STEP);
  };
  return (
    <hr
      className="divider"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
