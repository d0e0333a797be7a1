/** What may be spent in a month, and what was. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Budget, Budgets as BudgetsAnswer, PersonBudget } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { SpecForm } from "../settings/form.tsx";
import { Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { dayName, money } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";

interface Limits {
  user?: number;
  organisation?: number;
  people?: Record<string, number>;
}

export function Budgets() {
  const client = useQueryClient();
  const { say } = useToasts();
  const [changing, setChanging] = useState<PersonBudget | null>(null);
  const { data, error } = useQuery({
    queryKey: ["budgets"],
    queryFn: () => api.get("/budgets"),
    retry: false,
  });
  const limits = useQuery({
    queryKey: ["settings", "/settings"],
    queryFn: () => api.get("/settings"),
    retry: false,
  });
  const now: Limits = limits.data?.budgets ?? {};
  const save = async (change: Limits) => {
    await api.put("/budgets", { ...now, ...change });
    await Promise.all([
      client.invalidateQueries({ queryKey: ["settings"] }),
      client.invalidateQueries({ queryKey: ["budgets"] }),
    ]);
    say(t("Saved."));
  };
  const saveOne = (person: PersonBudget, limit: unknown) => {
    const { [person.user_id]: _, ...others } = now.people ?? {};
    return save({ people: typeof limit === "number" ? { ...others, [person.user_id]: limit } : others });
  };
  return (
    <Section title={t("Budgets")} about={t("Spending limits per calendar month. Leave empty for no limit.")}>
      <Problem error={error} />
      {limits.isSuccess && (
        <SpecForm
          key={JSON.stringify(now)}
          fields={[
            { name: "user", label: t("Per person ($ per month)"), kind: "dollars" },
            { name: "organisation", label: t("Organization ($ per month)"), kind: "dollars" },
          ]}
          initial={{ user: now.user, organisation: now.organisation }}
          submit={t("Save")}
          onSubmit={(values) => save(values as Limits)}
        />
      )}
      {data && <Spent budgets={data} onChange={setChanging} />}
      {changing && (
        <Dialog title={changing.email} onClose={() => setChanging(null)}>
          <SpecForm
            fields={[
              {
                name: "limit",
                label: t("This person ($ per month)"),
                kind: "dollars",
                hint: t("Leave empty for the default."),
              },
            ]}
            initial={{ limit: now.people?.[changing.user_id] }}
            submit={t("Save")}
            onSubmit={({ limit }) => saveOne(changing, limit)}
            onDone={() => setChanging(null)}
          />
        </Dialog>
      )}
    </Section>
  );
}

function Spent({ budgets, onChange }: { budgets: BudgetsAnswer; onChange: (person: PersonBudget) => void }) {
  return (
    <section className="table-scroll" aria-label={t("Spending")} tabIndex={0}>
      <table className="table-plain">
        <caption className="quiet small">{t("Since {month}", { month: dayName(budgets.month) })}</caption>
        <thead>
          <tr>
            <th>{t("Who")}</th>
            <th>{t("Spent")}</th>
            <th>{t("Limit")}</th>
            <th>
              <span className="only-spoken">{t("Edit")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {budgets.organisation && (
            <tr>
              <td>
                <strong>{t("The organization")}</strong>
              </td>
              <Amounts budget={budgets.organisation} />
              <td />
            </tr>
          )}
          {(budgets.people ?? []).map((person) => (
            <tr key={person.user_id}>
              <td>{person.email}</td>
              <Amounts budget={person} />
              <td>
                <Button
                  small
                  look="ghost"
                  label={t("Limit of {email}", { email: person.email })}
                  onClick={() => onChange(person)}
                >
                  <Pencil />
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Amounts({ budget }: { budget: Budget | PersonBudget }) {
  const { spent = 0, reserved = 0, limit } = budget;
  return (
    <>
      <td>
        {money(spent)}
        {reserved > 0 && (
          <span className="quiet"> {t("+ {reserved} reserved", { reserved: money(reserved) })}</span>
        )}
      </td>
      <td>{typeof limit === "number" ? money(limit) : t("none")}</td>
    </>
  );
}
