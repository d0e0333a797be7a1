import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { api } from "../api/client.ts";
import type { Model } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { SpecForm } from "./form.tsx";
import { Nothing, Section } from "./Section.tsx";

/** Keys of one's own: they pay for one's own chats. */
export function PersonalKeys() {
  const providers = providersOf(useModels());
  return (
    <Section
      title={t("Your keys")}
      about={t("Your own API keys are used for your chats instead of the deployment's.")}
    >
      {[...providers].map(([id, name]) => (
        <PersonalKey key={id} provider={id} name={name} />
      ))}
      {providers.size === 0 && (
        <Nothing icon={KeyRound} title={t("No providers yet")}>
          {t("With your own key, your chats are billed to you. An administrator sets up providers first.")}
        </Nothing>
      )}
    </Section>
  );
}

/** Those whose models one may use. */
function providersOf(models: readonly Model[]): Map<string, string> {
  return new Map(models.map((model) => [model.provider_id, model.provider]));
}

function PersonalKey({ provider, name }: { provider: string; name: string }) {
  const client = useQueryClient();
  const { say } = useToasts();
  const path = `/providers/${provider}/keys` as const;
  const { data } = useQuery({
    queryKey: ["keys", provider],
    queryFn: async () => (await api.get(path)).items,
  });
  const own = data?.find((key) => key.personal);
  const then = async (work: Promise<unknown>, words: string) => {
    await work;
    await client.invalidateQueries({ queryKey: ["keys", provider] });
    say(words);
  };
  return (
    <div className="card stack personal-key">
      <div className="spread wrap">
        <strong>{name}</strong>
        {own && (
          <span className="pill pill-good">
            {t("your key")}
            {own.hint && ` …${own.hint}`}
          </span>
        )}
        <span className="grow" />
        {own && (
          <RemoveButton
            label={t("Remove your key for {name}", { name })}
            onRemove={() => then(api.delete(path, { personal: true }), t("Removed."))}
          />
        )}
      </div>
      <SpecForm
        key={own?.created_at}
        fields={[
          { name: "key", label: own ? t("Another key") : t("API key"), kind: "password", required: true },
        ]}
        initial={{}}
        submit={t("Save key")}
        onSubmit={({ key }) => then(api.post(path, { key, personal: true }), t("Saved."))}
      />
    </div>
  );
}
