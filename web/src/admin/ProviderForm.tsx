import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Provider } from "../api/types.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import type { Resource } from "../settings/resource.ts";
import { DIALECTS, type Vendor } from "./vendors.ts";

interface Props {
  vendor: Vendor;
  providers: Resource<Provider>;
  onDone: () => void;
}

/** A name, an address and a key; everything else is known. */
export function ProviderForm({ vendor, providers, onDone }: Props) {
  const client = useQueryClient();
  const fields: FieldSpec[] = [
    { name: "name", label: "Name", required: true },
    { name: "base_url", label: "Address", required: true, placeholder: "https://models.example.org" },
    { name: "dialect", label: "Speaks", kind: "choice", options: DIALECTS },
    ...(vendor.region ? [{ name: "options.region", label: "Region", required: true }] : []),
    { name: "key", label: "Key", kind: "password", hint: vendor.key, required: vendor.needsKey },
  ];
  const initial = {
    name: vendor.name,
    base_url: vendor.base_url,
    dialect: vendor.dialect,
    options: { vendor: vendor.vendor },
  };
  const add = async ({ key, ...values }: Values) => {
    const made = await providers.create(values);
    if (!key) return;
    await api.post(`/providers/${made.id}/keys`, { key });
    await client.invalidateQueries({ queryKey: ["resource", "/providers"] });
  };
  return <SpecForm fields={fields} initial={initial} submit="Add provider" onSubmit={add} onDone={onDone} />;
}
