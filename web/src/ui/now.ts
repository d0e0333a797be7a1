import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/** The time, told again as it passes; where it need not pass, it stands. */
export function useNow({
  every = TICK_MS,
  passes = true,
}: {
  every?: number;
  passes?: boolean;
} = {}): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!passes) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, passes]);
  return now;
}
