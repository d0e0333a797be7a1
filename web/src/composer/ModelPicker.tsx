import { ChevronDown } from "lucide-react";
import type { Effort, Model } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { useModels } from "../page/models.ts";
import { tokens } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";

interface Props {
  model: string | undefined;
  effort: Effort | undefined;
  onModel: (name: string) => void;
  onEffort: (effort: Effort) => void;
}

export function chosenModel(models: readonly Model[], name: string | undefined): Model | undefined {
  return models.find((model) => model.name === name) ?? models.find((model) => model.default) ?? models[0];
}

/** Which model answers, and how hard it thinks. */
export function ModelPicker({ model, effort, onModel, onEffort }: Props) {
  const models = useModels();
  const chosen = chosenModel(models, model);
  const efforts = chosen?.efforts ?? [];
  const unknown = model !== undefined && models.length > 0 && chosen?.name !== model;
  return (
    <>
      <Menu
        label={t("Model")}
        className="picker"
        words={
          <>
            <span className="truncate" dir="auto">
              {chosen ? (chosen.display_name ?? chosen.name) : t("No model")}
            </span>
            <ChevronDown aria-hidden />
          </>
        }
      >
        {(close) => (
          <>
            {unknown && <p className="menu-heading">{t("“{model}” is no longer available", { model })}</p>}
            {byProvider(models).map(([provider, list]) => (
              <div key={provider}>
                <p className="menu-heading">{provider}</p>
                {list.map((entry) => (
                  <MenuItem
                    key={entry.name}
                    checked={entry.name === chosen?.name}
                    hint={entry.context_window ? tokens(entry.context_window) : undefined}
                    onSelect={() => {
                      onModel(entry.name);
                      close();
                    }}
                  >
                    {entry.display_name ?? entry.name}
                  </MenuItem>
                ))}
              </div>
            ))}
          </>
        )}
      </Menu>
      {efforts.length > 1 && (
        <Menu
          label={t("Effort")}
          className="picker"
          words={
            <>
              <span className="effort">{termOf(effort ?? "auto")}</span>
              <ChevronDown aria-hidden />
            </>
          }
        >
          {(close) =>
            efforts.map((entry) => (
              <MenuItem
                key={entry}
                checked={entry === effort}
                onSelect={() => {
                  onEffort(entry);
                  close();
                }}
              >
                {termOf(entry)}
              </MenuItem>
            ))
          }
        </Menu>
      )}
    </>
  );
}

function byProvider(models: readonly Model[]): [string, Model[]][] {
  const groups = new Map<string, Model[]>();
  for (const model of models) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return [...groups];
}
