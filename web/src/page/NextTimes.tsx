import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import { t } from "../language/catalogue.ts";
import { wallTime } from "../ui/format.ts";
import "./nextTimes.css";

const TYPED_MS = 300;

/** When a rule that somebody types would be due, or why it means nothing. */
export function NextTimes({ rule, zone }: { rule: string; zone: string }) {
  const rested = useRested(rule.trim());
  const { data, error } = useQuery({
    queryKey: ["times", rested, zone],
    queryFn: () => api.get("/schedules/times", { rule: rested, zone }),
    enabled: rested !== "",
    retry: false,
  });
  return (
    <div className="next-times small" aria-live="polite">
      {error ? (
        <p className="field-error">{reasonOf(error)}</p>
      ) : (
        data && (
          <>
            <p>{t("Next times:")}</p>
            <ol>
              {data.items.map((at) => (
                <li key={at}>
                  <time dateTime={at}>{wallTime(at, zone)}</time>
                </li>
              ))}
            </ol>
          </>
        )
      )}
    </div>
  );
}

/** The value, once nobody has changed it for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), TYPED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
