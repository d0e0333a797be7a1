/** Services that people sign in with instead of a password. Only an owner sets them up. */

import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { LoginService } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import { useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { tidy } from "../settings/values.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { choices } from "./choices.ts";

const SLUG: FieldSpec = {
  name: "slug",
  label: t("Slug"),
  required: true,
  placeholder: "sso",
  hint: t("Part of the redirect URI. Cannot be changed later."),
};
const FIELDS: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: t("Example SSO") },
  { name: "issuer", label: t("Issuer"), required: true, placeholder: "https://login.example.com" },
  { name: "client_id", label: t("Client ID"), required: true },
  {
    name: "client_secret",
    label: t("Client secret"),
    kind: "password",
    hint: t("Stored encrypted and never shown again. Leave empty to keep the current one."),
  },
  {
    name: "options.domains",
    label: t("Allowed email domains"),
    kind: "list",
    hint: t("Leave empty to allow all."),
  },
  { name: "options.provision", label: t("Create accounts for new users"), kind: "switch" },
  {
    name: "options.role",
    label: t("Role"),
    kind: "choice",
    options: choices("member", "auditor", "admin", "owner"),
  },
  { name: "options.role_claim", label: t("Role claim"), placeholder: "groups" },
  {
    name: "options.roles",
    label: t("Role mapping"),
    kind: "pairs",
    hint: t("One claim value and role per line: platform=admin."),
  },
  { name: "enabled", label: t("On"), kind: "switch" },
];
const INITIAL: Values = { enabled: true, options: { provision: true, role: "member" } };

type Open = { kind: "nothing" } | { kind: "add" } | { kind: "change"; service: LoginService };

export function LoginServices() {
  const services = useResource("/login-services");
  const client = useQueryClient();
  const [open, setOpen] = useState<Open>({ kind: "nothing" });
  const close = () => setOpen({ kind: "nothing" });
  const save = async ({ slug, ...values }: Values) => {
    await api.put(`/login-services/${encodeURIComponent(String(slug))}`, tidy(values));
    await client.invalidateQueries();
  };
  return (
    <Section
      title={t("Login services")}
      about={t("Single sign-on with OpenID Connect.")}
      action={
        <Button onClick={() => setOpen({ kind: "add" })}>
          <Plus /> {t("Add login service")}
        </Button>
      }
    >
      <Problem error={services.error} />
      <ul className="rows">
        {services.items.map((service) => (
          <li key={service.slug} className="card row-card">
            <ServiceFacts service={service} />
            <Button
              look="ghost"
              label={t("Edit login service")}
              onClick={() => setOpen({ kind: "change", service })}
            >
              <Pencil />
            </Button>
            <RemoveButton label={t("Remove login service")} onRemove={() => services.remove(service.slug)} />
          </li>
        ))}
      </ul>
      {!services.loading && !services.error && services.items.length === 0 && (
        <Nothing
          icon={KeyRound}
          title={t("No login services yet")}
          action={
            <Button look="primary" onClick={() => setOpen({ kind: "add" })}>
              <Plus /> {t("Add your first login service")}
            </Button>
          }
        >
          {t(
            "People sign in with a password or a sign-in link. With OpenID Connect they use an account they already have: you need the issuer, and a client with its secret.",
          )}
        </Nothing>
      )}
      {open.kind === "add" && (
        <Dialog title={t("Add login service")} onClose={close}>
          <SpecForm
            fields={[SLUG, ...FIELDS]}
            initial={INITIAL}
            submit={t("Add")}
            onSubmit={save}
            onDone={close}
          />
        </Dialog>
      )}
      {open.kind === "change" && (
        <Dialog title={t("Edit {name}", { name: open.service.name })} onClose={close}>
          <SpecForm
            fields={FIELDS}
            initial={changeable(open.service)}
            submit={t("Save")}
            onSubmit={save}
            onDone={close}
          />
        </Dialog>
      )}
    </Section>
  );
}

/** What can be changed of it, with what it leaves out at its default. */
function changeable({ slug, name, issuer, client_id, enabled, options }: LoginService): Values {
  return { slug, name, issuer, client_id, enabled, options: { provision: true, role: "member", ...options } };
}

function ServiceFacts({ service }: { service: LoginService }) {
  return (
    <div className="grow">
      <strong>{service.name}</strong> {!service.enabled && <span className="pill pill-warn">{t("off")}</span>}
      <div className="quiet small truncate">{service.issuer}</div>
      <div className="spread quiet small">
        <span className="truncate" title={service.redirect_uri}>
          {t("Redirect URI: {redirect_uri}", { redirect_uri: service.redirect_uri })}
        </span>
        <CopyButton text={() => service.redirect_uri} label={t("Copy the redirect URI")} />
      </div>
    </div>
  );
}
