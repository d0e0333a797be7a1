/** The models people choose from. */

import { Boxes } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { ModelSetting, Provider } from "../api/types.ts";
import { SpecForm, type Values } from "../settings/form.tsx";
import { useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Switch } from "../ui/Field.tsx";
import { money, tokens } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { MODEL_FIELDS, tidy } from "./ModelForm.tsx";

export function Models() {
  const models = useResource<ModelSetting>("/model-settings");
  const providers = useResource<Provider>("/providers").items;
  const { complain } = useToasts();
  const [editing, setEditing] = useState<ModelSetting | null>(null);
  return (
    <Section
      title="Models"
      about="The models people can choose from. An alias can point to another model later."
      action={
        <Link href="/admin/providers" className="button button-plain">
          Add from a provider
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
                {model.default && <span className="pill pill-accent">default</span>}
              </span>
              <span className="quiet small">{factsOf(model, providers)}</span>
            </button>
            <Switch
              label={model.enabled === false ? "Off" : "On"}
              checked={model.enabled !== false}
              onChange={(enabled) => void models.update(model.name, { enabled }).catch(complain)}
            />
            {!model.default && (
              <Button small onClick={() => void models.update(model.name, { default: true }).catch(complain)}>
                Make default
              </Button>
            )}
            <RemoveButton label="Remove model" onRemove={() => models.remove(model.name)} />
          </li>
        ))}
      </ul>
      {!models.loading && !models.error && models.items.length === 0 && (
        <Nothing
          icon={Boxes}
          title="No models yet"
          action={
            <Link href="/admin/providers" className="button button-primary">
              Go to providers
            </Link>
          }
        >
          Chats need a model to answer. Set up a provider, then add the models that people may choose from.
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
            submit="Save"
            onSubmit={(values) => models.update(editing.name, tidy(values))}
            onDone={() => setEditing(null)}
          />
        </Dialog>
      )}
    </Section>
  );
}

function factsOf(model: ModelSetting, providers: readonly Provider[]): string {
  const provider = providers.find((entry) => entry.id === model.provider_id)?.name;
  const { context_window, price } = model.options ?? {};
  return [
    provider,
    model.model,
    context_window && `${tokens(context_window)} window`,
    price && `${money(price.input ?? 0)} in, ${money(price.output ?? 0)} out per million`,
  ]
    .filter(Boolean)
    .join(" · ");
}
