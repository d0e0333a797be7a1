/** At how much of its window each model's chats are compacted. */

import type { Model } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import { Button } from "../ui/Button.tsx";
import { percent } from "../ui/format.ts";
import { Percent } from "../ui/Percent.tsx";

type Shares = Readonly<Record<string, number>>;

export function Thresholds({ value, onChange }: { value: Shares; onChange: (value: Shares) => void }) {
  const models = useModels();
  const without = (name: string) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  if (models.length === 0)
    return <p className="quiet">{t("No model is set up yet. Models appear here with their windows.")}</p>;
  return (
    <ul className="rows">
      {models.map((model) => (
        <Threshold
          key={model.name}
          model={model}
          own={value[model.name]}
          onChange={(share) =>
            onChange(share === null ? without(model.name) : { ...value, [model.name]: share })
          }
        />
      ))}
    </ul>
  );
}

interface RowProps {
  model: Model;
  /** What somebody set; otherwise the model's own share counts. */
  own: number | undefined;
  onChange: (share: number | null) => void;
}

function Threshold({ model, own, onChange }: RowProps) {
  return (
    <li className="card threshold">
      <div className="spread wrap">
        <strong className="grow truncate">{model.display_name}</strong>
        {own === undefined ? (
          <span className="pill">{t("default")}</span>
        ) : (
          <Button
            small
            look="ghost"
            onClick={() => onChange(null)}
            aria-label={t("Use the default for {display_name}", { display_name: model.display_name })}
          >
            {t("Use the default, {share}", {
              share: percent(model.compaction_threshold / 100),
            })}
          </Button>
        )}
      </div>
      <Percent
        label={t("Compact {display_name} at", { display_name: model.display_name })}
        value={own ?? model.compaction_threshold}
        window={model.context_window}
        onChange={onChange}
      />
    </li>
  );
}
