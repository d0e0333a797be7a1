/** A small setting of this browser: a width, a choice. */

import { useCallback, useEffect, useState } from "react";

const CHANGED = "stored";

/** Keep a setting. Whoever shows it hears of it. */
export function store(name: string, value: unknown): void {
  localStorage.setItem(name, JSON.stringify(value));
  dispatchEvent(new CustomEvent(CHANGED, { detail: name }));
}

export function useStored<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(name) ?? initial);
  useEffect(() => {
    const hear = (event: Event) => {
      if ((event as CustomEvent<string>).detail === name) setValue((before) => read(name) ?? before);
    };
    addEventListener(CHANGED, hear);
    return () => removeEventListener(CHANGED, hear);
  }, [name]);
  return [value, useCallback((next: Value) => store(name, next), [name])];
}

function read<Value>(name: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as Value | null;
  } catch {
    return null;
  }
}
