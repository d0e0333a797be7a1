/** The models people choose from. */

import { Boxes } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { ModelSetting, Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { SpecForm, type Values } from "../settings/form.tsx";
import { useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { tidy } from "../settings/values.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Facts } from "../ui/Facts.tsx";
import { Switch } from "../ui/Field.tsx";
import { money, tokens } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { MODEL_FIELDS } from "./ModelForm.tsx";

export function Models() {
  const models = useResource("/model-settings");
  const providers = useResource("/providers").items;
  const { complain } = useToasts();
  const [editing, setEditing] = useState<ModelSetting | null>(null);
  return (
    <Section
      title={t("Models")}
      about={t("The models people can choose from. An alias can point to another model later.")}
      action={
        <Link href="/admin/providers" className="button button-plain">
          {t("Add from a provider")}
        </Link>
      }
    >
      <Problem error={models.error} />
      <ul className="rows">
        {models.items.map((model) => (
          <li key={model.name} className="card row-card">
            <button type="button" className="grow row-open" onClick={() => setEditing(model)}>
              <span className="spread wrap">
                <strong>{model.display_name || model.name}</strong>
                {model.default && <span className="pill pill-accent">{t("default")}</span>}
              </span>
              <span className="quiet small">
                <Facts of={factsOf(model, providers)} />
              </span>
            </button>
            <Switch
              label={model.enabled === false ? t("Off") : t("On")}
              checked={model.enabled !== false}
              onChange={(enabled) => void models.update(model.name, { enabled }).catch(complain)}
            />
            {!model.default && (
              <Button small onClick={() => void models.update(model.name, { default: true }).catch(complain)}>
                {t("Make default")}
              </Button>
            )}
            <RemoveButton label={t("Remove model")} onRemove={() => models.remove(model.name)} />
          </li>
        ))}
      </ul>
      {!models.loading && !models.error && models.items.length === 0 && (
        <Nothing
          icon={Boxes}
          title={t("No models yet")}
          action={
            <Link href="/admin/providers" className="button button-primary">
              {t("Go to providers")}
            </Link>
          }
        >
          {t(
            "Chats need a model to answer. Set up a provider, then add the models that people may choose from.",
          )}
        </Nothing>
      )}
      {editing && (
        <Dialog title={editing.display_name || editing.name} onClose={() => setEditing(null)}>
          <SpecForm
            fields={MODEL_FIELDS.filter((field) => field.name !== "name")}
            initial={
              {
                model: editing.model,
                display_name: editing.display_name,
                default: editing.default,
                options: editing.options,
              } as Values
            }
            submit={t("Save")}
            onSubmit={(values) => models.update(editing.name, tidy(values))}
            onDone={() => setEditing(null)}
          />
        </Dialog>
      )}
    </Section>
  );
}

function factsOf(model: ModelSetting, providers: readonly Provider[]) {
  const provider = providers.find((entry) => entry.id === model.provider_id)?.name;
  const { context_window, price } = model.options ?? {};
  return [
    provider,
    model.model,
    context_window && t("{context_window} window", { context_window: tokens(context_window) }),
    price &&
      t("{input} in, {output} out per million", {
        input: money(price.input ?? 0),
        output: money(price.output ?? 0),
      }),
  ];
}
