/** A small setting of this browser: a width, a choice. */

import { useCallback, useState } from "react";

export function useStored<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(name) ?? initial);
  const store = useCallback(
    (next: Value) => {
      setValue(next);
      localStorage.setItem(name, JSON.stringify(next));
    },
    [name],
  );
  return [value, store];
}

function read<Value>(name: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as Value | null;
  } catch {
    return null;
  }
}
