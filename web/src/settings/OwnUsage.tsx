/** What one used oneself, and what is left of one's budget. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Budget } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { dayName, money } from "../ui/format.ts";
import { Problem, Section } from "./Section.tsx";
import { UsageReport } from "./UsageReport.tsx";

export function OwnUsage() {
  const { data, error } = useQuery({
    queryKey: ["budgets"],
    queryFn: () => api.get("/budgets"),
    retry: false,
  });
  return (
    <>
      <Section
        title={t("Your budget")}
        about={data && t("Since {month}. A budget is for a calendar month.", { month: dayName(data.month) })}
      >
        <Problem error={error} />
        {data && <Spent budget={data.user} />}
      </Section>
      <Section title={t("Your usage")} about={t("What your chats used, and what it cost. Days are in UTC.")}>
        <UsageReport mine />
      </Section>
    </>
  );
}

function Spent({ budget }: { budget: Budget }) {
  const { spent = 0, reserved = 0, limit } = budget;
  return (
    <div className="card budget">
      <p>
        <strong>
          {typeof limit === "number"
            ? t("{spent} of {limit} spent", { spent: money(spent), limit: money(limit) })
            : t("{spent} spent, no limit", { spent: money(spent) })}
        </strong>{" "}
        {reserved > 0 && (
          <span className="quiet">
            {t("{reserved} reserved for running turns", { reserved: money(reserved) })}
          </span>
        )}
      </p>
      {typeof limit === "number" && (
        <meter
          aria-label={t("{spent} of {limit} spent", { spent: money(spent), limit: money(limit) })}
          min={0}
          max={Math.max(1, limit)}
          high={limit * 0.9}
          value={Math.min(limit, spent + reserved)}
        />
      )}
    </div>
  );
}
