import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pencil, Plus, Zap } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { SpecForm, type Values } from "../settings/form.tsx";
import { type Resource, useResource } from "../settings/resource.ts";
import { tidy } from "../settings/values.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Facts } from "../ui/Facts.tsx";
import { Switch } from "../ui/Field.tsx";
import { duration } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { ModelForm } from "./ModelForm.tsx";
import { addressFields } from "./ProviderForm.tsx";
import { vendorOf } from "./vendors.ts";

type Test =
  | { phase: "untested" }
  | { phase: "testing" }
  | { phase: "ok"; ms: number; words: string }
  | { phase: "failed"; reason: string };
interface Props {
  provider: Provider;
  providers: Resource<"/providers">;
  /** Just added: it is tried at once. */
  fresh: boolean;
}

export function ProviderCard({ provider, providers, fresh }: Props) {
  const { complain } = useToasts();
  const client = useQueryClient();
  const [test, setTest] = useState<Test>({ phase: "untested" });
  const [open, setOpen] = useState<"nothing" | "change" | "key" | "model">("nothing");
  const close = () => setOpen("nothing");
  const settings = useResource("/model-settings");
  const models = settings.items.filter((model) => model.provider_id === provider.id);
  const bare = !settings.loading && !settings.error && models.length === 0;
  const tryIt = async () => {
    setTest({ phase: "testing" });
    try {
      const answer = await api.post(`/providers/${provider.id}/test`, {});
      setTest(
        answer.ok
          ? { phase: "ok", ms: answer.latency_ms, words: answer.message }
          : { phase: "failed", reason: answer.message },
      );
    } catch (error) {
      setTest({ phase: "failed", reason: reasonOf(error) });
    }
  };
  const tryFirst = useEffectEvent(() => void tryIt());
  useEffect(() => {
    if (fresh) tryFirst();
  }, [fresh]);
  const setKey = async ({ key }: Values) => {
    await api.post(`/providers/${provider.id}/keys`, { key });
    await client.invalidateQueries({ queryKey: ["resource", "/providers"] });
    void tryIt();
  };
  const change = async (values: Values) => {
    await providers.update(provider.id, { base_url: "", ...tidy(values) });
    void tryIt();
  };
  return (
    <li className="card row-card provider">
      <div className="grow">
        <div className="spread wrap">
          <strong>{provider.name}</strong>
          <KeyPill provider={provider} />
          {bare && <span className="pill pill-warn">{t("no models")}</span>}
        </div>
        <div className="quiet small truncate">
          <Facts
            of={[
              provider.base_url,
              models.length > 0 &&
                t("{count, plural, one {# model} other {# models}}", { count: models.length }),
            ]}
          />
        </div>
        <TestResult test={test} />
      </div>
      <Switch
        label={provider.enabled === false ? t("Off") : t("On")}
        checked={provider.enabled !== false}
        onChange={(enabled) => void providers.update(provider.id, { enabled }).catch(complain)}
      />
      <div className="spread wrap">
        <Button small disabled={test.phase === "testing"} onClick={() => void tryIt()}>
          <Zap /> {t("Test connection")}
        </Button>
        <Button small onClick={() => setOpen("key")}>
          <KeyRound /> {t("Key")}
        </Button>
        <Button small onClick={() => setOpen("model")}>
          <Plus /> {t("Model")}
        </Button>
        <Button look="ghost" small label={t("Edit provider")} onClick={() => setOpen("change")}>
          <Pencil />
        </Button>
        <RemoveButton
          label={t("Remove provider")}
          words={t("Remove with its models")}
          onRemove={() => providers.remove(provider.id)}
        />
      </div>
      {open === "change" && (
        <Dialog title={t("Edit {name}", { name: provider.name })} onClose={close}>
          <SpecForm
            fields={addressFields(vendorOf(provider))}
            initial={{ name: provider.name, base_url: provider.base_url, options: provider.options }}
            submit={t("Save")}
            onSubmit={change}
            onDone={close}
          />
        </Dialog>
      )}
      {open === "key" && (
        <Dialog title={t("Key for {name}", { name: provider.name })} onClose={close}>
          <SpecForm
            fields={[{ name: "key", label: t("API key"), kind: "password", required: true }]}
            initial={{}}
            submit={t("Save key")}
            onSubmit={setKey}
            onDone={close}
          />
        </Dialog>
      )}
      {open === "model" && (
        <Dialog title={t("Add a model from {name}", { name: provider.name })} onClose={close}>
          <ModelForm provider={provider} onDone={close} />
        </Dialog>
      )}
    </li>
  );
}

/** A key that is missing is a problem only where the vendor asks for one. */
function KeyPill({ provider }: { provider: Provider }) {
  if (provider.has_key) return <span className="pill pill-good">{t("key set")}</span>;
  return <span className={`pill ${vendorOf(provider)?.needsKey ? "pill-warn" : ""}`}>{t("no key")}</span>;
}

function TestResult({ test }: { test: Test }) {
  switch (test.phase) {
    case "untested":
      return null;
    case "testing":
      return (
        <p className="test-result quiet small" role="status">
          <span className="spinner" aria-hidden /> {t("Testing…")}
        </p>
      );
    case "ok":
      return (
        <p className="test-result small" role="status">
          <span className="pill pill-good">{t("works, {ms}", { ms: duration(test.ms) })}</span> {test.words}
        </p>
      );
    case "failed":
      return (
        <p className="test-result field-error" role="alert">
          {test.reason}
        </p>
      );
  }
}
