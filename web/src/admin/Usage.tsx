/** What was used and what it cost, by day, model and person. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/client.ts";
import { listOf } from "../app/models.ts";
import { Problem, Section } from "../settings/Section.tsx";
import { dayName, money, tokens } from "../ui/format.ts";
import { Tabs } from "../ui/Tabs.tsx";
import { BarChart } from "./BarChart.tsx";

type Group = "day" | "model" | "user";
interface UsageLine {
  name: string;
  calls: number;
  input: number;
  output: number;
  cost: number;
  unpriced_calls: number;
}

const TABS: { name: Group; label: string }[] = [
  { name: "day", label: "By day" },
  { name: "model", label: "By model" },
  { name: "user", label: "By person" },
];
const HEADS: Record<Group, string> = { day: "Day", model: "Model", user: "Person" };
const DAYS = 30;

export function Usage() {
  const [group, setGroup] = useState<Group>("day");
  const [from] = useState(() => new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10));
  const { data, error } = useQuery({
    queryKey: ["usage", group, from],
    queryFn: async () =>
      listOf(await api.get<UsageLine[] | { items: UsageLine[] }>("/usage", { group, from })),
    retry: false,
  });
  const lines = data ?? [];
  const nameOf = (line: UsageLine) => (group === "day" ? dayName(line.name) : line.name);
  // Models that cost nothing are used all the same.
  const priced = lines.some((line) => line.cost > 0);
  return (
    <Section title="Usage" about={`The last ${DAYS} days.`}>
      <Tabs label="Group by" tabs={TABS} current={group} onSelect={setGroup} />
      <Problem error={error} />
      <BarChart
        what={priced ? "Cost" : "Tokens"}
        bars={lines.map((line) => ({
          label: nameOf(line).slice(0, 24),
          value: priced ? line.cost : line.input + line.output,
        }))}
        format={priced ? money : tokens}
      />
      <table className="table-plain">
        <thead>
          <tr>
            <th>{HEADS[group]}</th>
            <th>Calls</th>
            <th>In</th>
            <th>Out</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.name}>
              <td>{nameOf(line)}</td>
              <td>{line.calls}</td>
              <td>{tokens(line.input)}</td>
              <td>{tokens(line.output)}</td>
              <td>
                {money(line.cost)}
                {line.unpriced_calls > 0 && <span className="quiet"> + {line.unpriced_calls} unpriced</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length === 0 && !error && <p className="quiet">No usage yet.</p>}
    </Section>
  );
}
