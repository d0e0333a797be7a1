/** What one used oneself, and what is left of one's budget. */

import { useQuery } from "@tanstack/react-query";
import { UsageReport } from "../admin/UsageReport.tsx";
import { api } from "../api/client.ts";
import type { Budget, Budgets } from "../api/types.ts";
import { dayName, money } from "../ui/format.ts";
import { Problem, Section } from "./Section.tsx";

export function OwnUsage() {
  const { data, error } = useQuery({
    queryKey: ["budgets"],
    queryFn: () => api.get<Budgets>("/budgets"),
    retry: false,
  });
  return (
    <>
      <Section
        title="Your budget"
        about={data && `Since ${dayName(data.month)}. A budget is for a calendar month.`}
      >
        <Problem error={error} />
        {data && <Spent budget={data.user} />}
      </Section>
      <Section title="Your usage" about="What your chats used, and what it cost. Days are in UTC.">
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
        <strong>{money(spent)}</strong> spent
        {reserved > 0 && <span className="quiet">, {money(reserved)} reserved for what is at work</span>}
        {typeof limit === "number" ? ` of ${money(limit)}` : ", no limit"}
      </p>
      {typeof limit === "number" && (
        <meter
          aria-label={`${money(spent)} of ${money(limit)} spent`}
          min={0}
          max={Math.max(1, limit)}
          high={limit * 0.9}
          value={Math.min(limit, spent + reserved)}
        />
      )}
    </div>
  );
}
