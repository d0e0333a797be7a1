/** What may be spent in a month, and what was. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Budget, Budgets as BudgetsAnswer, PersonBudget } from "../api/types.ts";
import { SpecForm, type Values } from "../settings/form.tsx";
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
    queryFn: () => api.get<BudgetsAnswer>("/budgets"),
    retry: false,
  });
  const limits = useQuery({
    queryKey: ["settings", "/settings"],
    queryFn: () => api.get<Values>("/settings"),
    retry: false,
  });
  const now = (limits.data?.budgets as Limits | undefined) ?? {};
  const save = async (change: Limits) => {
    await api.put("/budgets", { ...now, ...change });
    await Promise.all([
      client.invalidateQueries({ queryKey: ["settings"] }),
      client.invalidateQueries({ queryKey: ["budgets"] }),
    ]);
    say("Saved.");
  };
  const saveOne = (person: PersonBudget, limit: unknown) => {
    const { [person.user_id]: _, ...others } = now.people ?? {};
    return save({ people: typeof limit === "number" ? { ...others, [person.user_id]: limit } : others });
  };
  return (
    <Section title="Budgets" about="Spending limits per calendar month. Leave empty for no limit.">
      <Problem error={error} />
      {limits.isSuccess && (
        <SpecForm
          key={JSON.stringify(now)}
          fields={[
            { name: "user", label: "Per person ($ per month)", kind: "dollars" },
            { name: "organisation", label: "Organisation ($ per month)", kind: "dollars" },
          ]}
          initial={{ user: now.user, organisation: now.organisation }}
          submit="Save"
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
                label: "This person ($ per month)",
                kind: "dollars",
                hint: "Leave empty for the default.",
              },
            ]}
            initial={{ limit: now.people?.[changing.user_id] }}
            submit="Save"
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
    <section className="table-scroll" aria-label="Spending" tabIndex={0}>
      <table className="table-plain">
        <caption className="quiet small">Since {dayName(budgets.month)}</caption>
        <thead>
          <tr>
            <th>Who</th>
            <th>Spent</th>
            <th>Limit</th>
            <th>
              <span className="only-spoken">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {budgets.organisation && (
            <tr>
              <td>
                <strong>The organisation</strong>
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
                  label={`Limit of ${person.email}`}
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
        {reserved > 0 && <span className="quiet"> + {money(reserved)} reserved</span>}
      </td>
      <td>{typeof limit === "number" ? money(limit) : "none"}</td>
    </>
  );
}
