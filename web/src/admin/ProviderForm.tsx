import type { Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import type { Resource } from "../settings/resource.ts";
import { tidy } from "../settings/values.ts";
import { DIALECTS, type Vendor } from "./vendors.ts";

interface Props {
  vendor: Vendor;
  providers: Resource<"/providers">;
  onAdded: (provider: Provider) => void;
}

/** What can be changed of a provider later as well. */
export function addressFields(vendor: Vendor | undefined): FieldSpec[] {
  const address = vendor?.where
    ? { placeholder: t("Defaults to {address}.", { address: vendor.where }) }
    : { placeholder: "https://models.example.org", required: true };
  return [
    { name: "name", label: t("Name"), required: true },
    { name: "base_url", label: t("Base URL"), ...address },
    ...(vendor?.more ?? []),
  ];
}

/** A name, an address and a key; everything else is known. */
export function ProviderForm({ vendor, providers, onAdded }: Props) {
  const fields: FieldSpec[] = [
    ...addressFields(vendor),
    { name: "dialect", label: t("API format"), kind: "choice", options: DIALECTS },
    { name: "key", label: t("API key"), kind: "password", hint: vendor.key, required: vendor.needsKey },
  ];
  const initial = {
    name: vendor.name,
    base_url: vendor.base_url,
    dialect: vendor.dialect,
    options: { vendor: vendor.vendor, ...vendor.options },
  };
  // The server keeps both or neither: whatever fails, the form is as it was and can be sent again.
  const add = async (values: Values) => onAdded(await providers.create(tidy(values)));
  return <SpecForm fields={fields} initial={initial} submit={t("Add provider")} onSubmit={add} />;
}
