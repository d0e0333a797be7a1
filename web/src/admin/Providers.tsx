/** Where models come from. */

import { Plug } from "lucide-react";
import { useState } from "react";
import type { Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ProviderCard } from "./ProviderCard.tsx";
import { ProviderForm } from "./ProviderForm.tsx";
import { VENDORS, type Vendor } from "./vendors.ts";

export function Providers() {
  const providers = useResource("/providers");
  const [adding, setAdding] = useState<Vendor | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const done = (provider: Provider) => {
    setAdding(null);
    setAdded(provider.id);
  };
  return (
    <>
      <Section title={t("Providers")} about={t("Keys are stored encrypted and never shown again.")}>
        <Problem error={providers.error} />
        <ul className="rows">
          {providers.items.map((provider) => (
            <ProviderCard
              key={provider.id}
              provider={provider}
              providers={providers}
              fresh={provider.id === added}
            />
          ))}
        </ul>
        {!providers.loading && !providers.error && providers.items.length === 0 && (
          <Nothing icon={Plug} title={t("No providers yet")}>
            {t(
              "A provider serves the models that answer your chats. Choose one below; you need its API key.",
            )}
          </Nothing>
        )}
      </Section>
      <Section title={t("Add a provider")}>
        <div className="vendors">
          {VENDORS.map((vendor) => (
            <button key={vendor.name} type="button" className="option" onClick={() => setAdding(vendor)}>
              <strong>{vendor.name}</strong>
              <span className="quiet small truncate">
                {vendor.base_url || vendor.where || t("Your own endpoint")}
              </span>
            </button>
          ))}
        </div>
      </Section>
      {adding && (
        <Dialog title={t("Add {name}", { name: adding.name })} onClose={() => setAdding(null)}>
          <ProviderForm vendor={adding} providers={providers} onAdded={done} />
        </Dialog>
      )}
    </>
  );
}
