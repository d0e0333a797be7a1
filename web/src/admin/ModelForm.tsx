import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import { useResource } from "../settings/resource.ts";
import { read, tidy } from "../settings/values.ts";
import { tokens } from "../ui/format.ts";
import { type Choice, choices } from "./offered.ts";

export const MODEL_FIELDS: FieldSpec[] = [
  { name: "model", label: t("Model"), required: true, hint: t("The model ID of the provider.") },
  {
    name: "name",
    label: t("Alias"),
    required: true,
    hint: t("What people choose from. It can point to another model later."),
  },
  { name: "display_name", label: t("Display name") },
  { name: "options.context_window", label: t("Context window (tokens)"), kind: "number" },
  { name: "options.max_output_tokens", label: t("Max output tokens"), kind: "number" },
  { name: "options.price.input", label: t("Input price ($ per million tokens)"), kind: "dollars" },
  { name: "options.price.output", label: t("Output price ($ per million tokens)"), kind: "dollars" },
  {
    name: "options.compaction_threshold",
    label: t("Compact at (% of the context window)"),
    kind: "percent",
    usual: 70,
    window: (values) => read(values, "options.context_window") as number | undefined,
    hint: t("Defaults to 70%; 100% turns automatic compaction off."),
  },
  { name: "default", label: t("Default model"), kind: "switch" },
];

/** A model of a provider: choose it from the catalog and everything is filled in, or describe it. */
export function ModelForm({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const models = useResource("/model-settings");
  const { data } = useQuery({
    queryKey: ["catalog"],
    queryFn: async () => (await api.get("/catalog")).items,
    retry: false,
  });
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [wanted, setWanted] = useState("");
  const names = useQuery({
    queryKey: ["offered", provider.id],
    queryFn: async () => (await api.get(`/providers/${provider.id}/models`)).items,
    retry: false,
  });
  const all = choices(data ?? [], names.data ?? [], provider.dialect);
  const offered = all.filter((entry) => entry.id.toLowerCase().includes(wanted.trim().toLowerCase()));
  const add = (values: Values) => models.create(tidy({ ...values, provider_id: provider.id }));
  return (
    <div className="stack">
      {all.length > 0 && (
        <div className="stack">
          <p className="quiet">{t("Choose one to fill in the rest, or enter another below.")}</p>
          {all.length > MANY && (
            <input
              className="input"
              type="search"
              aria-label={t("Find a model")}
              placeholder={t("Search {count} models", { count: all.length })}
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
            />
          )}
          <div className="catalog" role="group" aria-label={t("Catalog")}>
            {offered.slice(0, MOST).map((entry) => (
              <button
                key={entry.id}
                type="button"
                className="option"
                aria-pressed={entry === chosen}
                onClick={() => setChosen(entry)}
              >
                <strong>{entry.id}</strong>
                <span className="quiet small">
                  {entry.context_window
                    ? t("{context_window} window", { context_window: tokens(entry.context_window) })
                    : ""}
                </span>
              </button>
            ))}
          </div>
        </div>
      )}
      <SpecForm
        key={chosen?.id}
        fields={MODEL_FIELDS}
        initial={prefilled(chosen)}
        submit={t("Add model")}
        onSubmit={add}
        onDone={onDone}
      />
    </div>
  );
}

const MANY = 12;
const MOST = 40;

function prefilled(entry: Choice | null): Values {
  if (!entry) return {};
  const { id, context_window, max_output, price, max_effort } = entry;
  return {
    model: id,
    name: id,
    options: tidy({ context_window, max_output_tokens: max_output, price, max_effort }),
  };
}
