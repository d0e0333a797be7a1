import { RotateCw } from "lucide-react";
import { useEffect, useState } from "react";
import type { RetryState } from "../api/types.ts";

const TICK_MS = 250;

/** The countdown to the next attempt. */
export function Retrying({ retry }: { retry: RetryState }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(retry.retrying_at) - now) / 1_000));
  return (
    <div className="retrying">
      <RotateCw aria-hidden />
      <div>
        <p>{seconds > 0 ? `Retrying in ${seconds} s…` : "Retrying…"}</p>
        <p className="quiet small">
          {retry.error} Attempt {retry.attempt}.
        </p>
      </div>
    </div>
  );
}
