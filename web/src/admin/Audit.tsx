/** Who did what: filtered, with names, and as a file. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { AuditEntry, Page } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { csvOf, download } from "../ui/csv.ts";
import { SelectField, TextField } from "../ui/Field.tsx";
import { fullTime } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { ACTIONS, actionWords, detailWords, subjectWords } from "./auditWords.ts";

type Wanted = { actor: string; action: string; from: string; to: string };
const ANYTHING: Wanted = { actor: "", action: "", from: "", to: "" };
/** A file has no more entries than that. */
const MOST = 10_000;

export function Audit() {
  const [wanted, setWanted] = useState(ANYTHING);
  const { complain } = useToasts();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["audit", wanted],
    queryFn: ({ pageParam }) => api.get("/audit", { ...wanted, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    retry: false,
  });
  const entries = data?.pages.flatMap((page) => page.items) ?? [];
  const save = () => void allOf(wanted).then((all) => download("audit.csv", asCsv(all)), complain);
  return (
    <Section
      title={t("Audit log")}
      about={t("Every administrative change and every share.")}
      action={
        <Button onClick={save} disabled={entries.length === 0}>
          <Download /> {t("Export CSV")}
        </Button>
      }
    >
      <Filters wanted={wanted} onWanted={setWanted} />
      <Problem error={error} />
      {entries.length > 0 && <Entries entries={entries} />}
      {data && entries.length === 0 && (
        <Nothing
          icon={ShieldCheck}
          title={Object.values(wanted).some(Boolean) ? t("Nothing matches") : t("Nothing recorded yet")}
        >
          {t("Changes to users, models, settings and shares are recorded here, with who made them.")}
        </Nothing>
      )}
      {hasNextPage && (
        <div>
          <Button onClick={() => void fetchNextPage()}>{t("Older")}</Button>
        </div>
      )}
    </Section>
  );
}

function Filters({ wanted, onWanted }: { wanted: Wanted; onWanted: (wanted: Wanted) => void }) {
  const people = useResource("/users").items;
  const set = (change: Partial<Wanted>) => onWanted({ ...wanted, ...change });
  return (
    <div className="filter-line">
      <SelectField
        label={t("Person")}
        value={wanted.actor}
        options={[
          { value: "", label: t("Everybody") },
          ...people.map(({ id, name, email }) => ({ value: id, label: name || email })),
        ]}
        onChange={(actor) => set({ actor })}
      />
      <SelectField
        label={t("Action")}
        value={wanted.action}
        options={[{ value: "", label: t("All") }, ...ACTIONS]}
        onChange={(action) => set({ action })}
      />
      <TextField
        type="date"
        label={t("From")}
        value={wanted.from}
        onChange={({ target }) => set({ from: target.value })}
      />
      <TextField
        type="date"
        label={t("To")}
        value={wanted.to}
        onChange={({ target }) => set({ to: target.value })}
      />
    </div>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <table className="table-plain audit">
      <thead>
        <tr>
          <th>{t("When")}</th>
          <th>{t("Who")}</th>
          <th>{t("Action")}</th>
          <th>{t("Target")}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>{fullTime(entry.at)}</td>
            <td>{entry.actor ?? t("The server")}</td>
            <td>{actionWords(entry.action)}</td>
            <td title={entry.subject}>
              {subjectWords(entry)}
              {detailWords(entry) && <span className="quiet small audit-detail">{detailWords(entry)}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

async function allOf(wanted: Wanted): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined && found.length < MOST) {
    const page: Page<AuditEntry> = await api.get("/audit", { ...wanted, cursor, limit: 200 });
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
}

function asCsv(entries: readonly AuditEntry[]): string {
  const head = ["at", "actor", "action", "subject", "subject_name", "detail"];
  const rows = entries.map((entry) => [
    entry.at,
    entry.actor ?? "",
    entry.action,
    entry.subject,
    subjectWords(entry),
    JSON.stringify(entry.detail),
  ]);
  return csvOf([head, ...rows]);
}
