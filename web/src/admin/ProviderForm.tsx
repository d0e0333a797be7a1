import type { Provider } from "../api/types.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import type { Resource } from "../settings/resource.ts";
import { DIALECTS, type Vendor } from "./vendors.ts";

interface Props {
  vendor: Vendor;
  providers: Resource<Provider>;
  onAdded: (provider: Provider) => void;
}

/** A name, an address and a key; everything else is known. */
export function ProviderForm({ vendor, providers, onAdded }: Props) {
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
    options: { vendor: vendor.vendor, ...(vendor.region && { region: vendor.region }) },
  };
  // The server keeps both or neither: whatever fails, the form is as it was and can be sent again.
  const add = async ({ key, ...values }: Values) =>
    onAdded(await providers.create(key ? { ...values, key } : values));
  return <SpecForm fields={fields} initial={initial} submit="Add provider" onSubmit={add} />;
}
