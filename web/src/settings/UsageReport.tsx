/** What was used and what it cost: a range, a chart, a table, a file. */

import { useQuery } from "@tanstack/react-query";
import { Activity, Download } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { csvOf, download } from "../ui/csv.ts";
import { TextField } from "../ui/Field.tsx";
import { dayName, money, tokens } from "../ui/format.ts";
import { Segments } from "../ui/Segments.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { BarChart } from "./BarChart.tsx";
import { Nothing, Problem } from "./Section.tsx";
import { everyDay, type Group, lastDays, type Range, totalOf, type UsageLine } from "./usage.ts";

const TABS: { name: Group; label: string }[] = [
  { name: "day", label: t("By day") },
  { name: "model", label: t("By model") },
  { name: "user", label: t("By person") },
  { name: "chat", label: t("By chat") },
];
const HEADS: Record<Group, string> = { day: t("Day"), model: t("Model"), user: t("Person"), chat: t("Chat") };

/** One's own, or everybody's where one may see that. */
export function UsageReport({ mine }: { mine: boolean }) {
  const [group, setGroup] = useState<Group>("day");
  const [range, setRange] = useState<Range>(() => lastDays(30));
  const { data, error } = useQuery({
    queryKey: ["usage", mine, group, range],
    queryFn: async () => (await api.get("/usage", { group, mine, ...range })).items,
    placeholderData: (before, query) => (query?.queryKey[2] === group ? before : undefined),
    retry: false,
  });
  const used = data ?? [];
  const lines = group === "day" ? everyDay(used, range) : [...used].sort((a, b) => b.cost - a.cost);
  const save = () => download(`usage-${group}-${range.from}-${range.to}.csv`, asCsv(lines, group));
  return (
    <>
      <Ranges range={range} onRange={setRange} />
      <div className="spread wrap">
        <Tabs
          label={t("Group by")}
          tabs={mine ? TABS.filter((tab) => tab.name !== "user") : TABS}
          current={group}
          onSelect={setGroup}
        />
        <span className="grow" />
        <Button onClick={save} disabled={used.length === 0}>
          <Download /> {t("Export CSV")}
        </Button>
      </div>
      <Problem error={error} />
      {data && used.length === 0 && (
        <Nothing icon={Activity} title={t("No usage in this period")}>
          {t("Every model call is counted here, with its tokens and cost.")}
        </Nothing>
      )}
      {used.length > 0 && <Lines lines={lines} group={group} mine={mine} />}
    </>
  );
}

const PRESETS = ["7", "30", "90"] as const;

function Ranges({ range, onRange }: { range: Range; onRange: (range: Range) => void }) {
  const chosen = PRESETS.find((days) => {
    const { from, to } = lastDays(Number(days));
    return from === range.from && to === range.to;
  });
  return (
    <div className="filter-line">
      <Segments
        label={t("Range")}
        options={PRESETS.map((value) => ({
          value: value as string,
          label: t("{count, plural, one {# day} other {# days}}", { count: Number(value) }),
        }))}
        value={chosen ?? ""}
        onChange={(days) => onRange(lastDays(Number(days)))}
      />
      <TextField
        type="date"
        label={t("From")}
        value={range.from}
        max={range.to}
        onChange={({ target }) => target.value && onRange({ ...range, from: target.value })}
      />
      <TextField
        type="date"
        label={t("To")}
        value={range.to}
        min={range.from}
        onChange={({ target }) => target.value && onRange({ ...range, to: target.value })}
      />
    </div>
  );
}

function Lines({ lines, group, mine }: { lines: readonly UsageLine[]; group: Group; mine: boolean }) {
  // Models that cost nothing are used all the same.
  const priced = lines.some((line) => line.cost > 0);
  const total = totalOf(lines);
  const shown = group === "day" ? lines.filter((line) => line.calls > 0).toReversed() : lines;
  return (
    <>
      <BarChart
        what={priced ? t("Cost") : t("Tokens")}
        bars={lines.map((line) => ({
          label: nameOf(line, group),
          value: priced ? line.cost : line.input + line.output,
        }))}
        format={priced ? money : tokens}
      />
      <section className="table-scroll" aria-label={t("Usage table")} tabIndex={0}>
        <table className="table-plain">
          <thead>
            <tr>
              <th>{HEADS[group]}</th>
              <th>{t("Calls")}</th>
              <th>{t("In")}</th>
              <th>{t("Out")}</th>
              <th>{t("Cost")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <tr key={line.chat_id ?? line.name}>
                <td>
                  {mine && line.chat_id ? (
                    <Link href={`/chats/${line.chat_id}`}>{nameOf(line, group)}</Link>
                  ) : (
                    nameOf(line, group)
                  )}
                </td>
                <Numbers line={line} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{total.name}</th>
              <Numbers line={total} />
            </tr>
          </tfoot>
        </table>
      </section>
    </>
  );
}

function Numbers({ line }: { line: UsageLine }) {
  return (
    <>
      <td>{line.calls}</td>
      <td>{tokens(line.input)}</td>
      <td>{tokens(line.output)}</td>
      <td>
        {money(line.cost)}
        {line.unpriced_calls > 0 && (
          <span className="quiet"> {t("+ {count} unpriced", { count: line.unpriced_calls })}</span>
        )}
      </td>
    </>
  );
}

function nameOf(line: UsageLine, group: Group): string {
  if (group === "day") return dayName(line.name);
  return line.name || (group === "chat" ? t("New chat") : t("unknown"));
}

function asCsv(lines: readonly UsageLine[], group: Group): string {
  const head = [group, "chat_id", "calls", "input_tokens", "output_tokens", "cost_usd", "unpriced_calls"];
  const rows = lines.map((line) => [
    line.name,
    line.chat_id ?? "",
    line.calls,
    line.input,
    line.output,
    line.cost / 1_000_000,
    line.unpriced_calls,
  ]);
  return csvOf([head, ...rows]);
}
