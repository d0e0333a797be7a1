import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus, Zap } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { Provider } from "../api/types.ts";
import { SpecForm, type Values } from "../settings/form.tsx";
import type { Resource } from "../settings/resource.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Switch } from "../ui/Field.tsx";
import { duration } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { ModelForm } from "./ModelForm.tsx";
import { vendorOf } from "./vendors.ts";

type Test =
  | { phase: "untested" }
  | { phase: "testing" }
  | { phase: "ok"; ms: number }
  | { phase: "failed"; reason: string };
interface TestAnswer {
  ok: boolean;
  message: string;
  latency_ms: number;
}

export function ProviderCard({ provider, providers }: { provider: Provider; providers: Resource<Provider> }) {
  const { complain } = useToasts();
  const client = useQueryClient();
  const [test, setTest] = useState<Test>({ phase: "untested" });
  const [open, setOpen] = useState<"nothing" | "key" | "model">("nothing");
  const close = () => setOpen("nothing");
  const tryIt = async () => {
    setTest({ phase: "testing" });
    try {
      const answer = await api.post<TestAnswer>(`/providers/${provider.id}/test`, {});
      setTest(
        answer.ok ? { phase: "ok", ms: answer.latency_ms } : { phase: "failed", reason: answer.message },
      );
    } catch (error) {
      setTest({ phase: "failed", reason: reasonOf(error) });
    }
  };
  const setKey = async ({ key }: Values) => {
    await api.post(`/providers/${provider.id}/keys`, { key });
    await client.invalidateQueries({ queryKey: ["resource", "/providers"] });
  };
  return (
    <li className="card row-card provider">
      <div className="grow">
        <div className="spread wrap">
          <strong>{provider.name}</strong>
          <KeyPill provider={provider} />
          <TestResult test={test} />
        </div>
        <div className="quiet small truncate">{provider.base_url}</div>
      </div>
      <Switch
        label={provider.enabled === false ? "Off" : "On"}
        checked={provider.enabled !== false}
        onChange={(enabled) => void providers.update(provider.id, { enabled }).catch(complain)}
      />
      <div className="spread wrap">
        <Button small disabled={test.phase === "testing"} onClick={() => void tryIt()}>
          <Zap /> Test connection
        </Button>
        <Button small onClick={() => setOpen("key")}>
          <KeyRound /> Key
        </Button>
        <Button small onClick={() => setOpen("model")}>
          <Plus /> Model
        </Button>
        <RemoveButton
          label="Remove provider"
          words="Remove with its models"
          onRemove={() => providers.remove(provider.id)}
        />
      </div>
      {open === "key" && (
        <Dialog title={`Key for ${provider.name}`} onClose={close}>
          <SpecForm
            fields={[{ name: "key", label: "Key", kind: "password", required: true }]}
            initial={{}}
            submit="Save key"
            onSubmit={setKey}
            onDone={close}
          />
        </Dialog>
      )}
      {open === "model" && (
        <Dialog title={`Add a model of ${provider.name}`} onClose={close}>
          <ModelForm provider={provider} onDone={close} />
        </Dialog>
      )}
    </li>
  );
}

/** A key that is missing is a problem only where the vendor asks for one. */
function KeyPill({ provider }: { provider: Provider }) {
  if (provider.has_key) return <span className="pill pill-good">key set</span>;
  return <span className={`pill ${vendorOf(provider)?.needsKey ? "pill-warn" : ""}`}>no key</span>;
}

function TestResult({ test }: { test: Test }) {
  switch (test.phase) {
    case "untested":
      return null;
    case "testing":
      return <span className="spinner" role="img" aria-label="Testing" />;
    case "ok":
      return (
        <span className="pill pill-good" role="status">
          works, {duration(test.ms)}
        </span>
      );
    case "failed":
      return (
        <span className="field-error" role="alert">
          {test.reason}
        </span>
      );
  }
}
