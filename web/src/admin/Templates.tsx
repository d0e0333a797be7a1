/** Recipes for workspaces: the ones that ship, and those that were brought. */

import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import { useResource } from "../settings/resource.ts";
import { Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { RemoveButton } from "../ui/RemoveButton.tsx";

const RECIPE = `description = "What it is for."
driver = "local"
network = "none"
start_up = """
echo ready
"""

[[parameters]]
name = "packages"
description = "Packages to install."
default = ""
`;
const FIELDS: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: "team-python" },
  {
    name: "recipe",
    label: "template.toml",
    kind: "code",
    required: true,
    hint: t("Image, network access and parameters of the workspace."),
  },
  {
    name: "readme",
    label: t("README"),
    kind: "area",
    hint: t("The agent reads it before it chooses a template."),
  },
];

export function Templates() {
  const templates = useResource("/templates");
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const save = async ({ name, recipe, readme = "" }: Values) => {
    await api.put(`/templates/${encodeURIComponent(String(name))}`, { recipe, readme });
    await client.invalidateQueries();
  };
  return (
    <Section
      title={t("Templates")}
      about={t("Blueprints for workspaces. Changes apply to new workspaces only.")}
      action={
        <Button onClick={() => setAdding(true)}>
          <Plus /> {t("Add template")}
        </Button>
      }
    >
      <Problem error={templates.error} />
      <ul className="rows">
        {templates.items.map((template) => (
          <li key={template.name} className="card row-card">
            <div className="grow">
              <strong>{template.name}</strong> <span className="pill">{template.driver}</span>{" "}
              <span className="pill">{template.network === "none" ? t("no network") : t("network")}</span>
              <div className="quiet small given">{template.description}</div>
            </div>
            {template.shipped ? (
              <span className="quiet small">{t("built in")}</span>
            ) : (
              <RemoveButton
                label={t("Remove template {name}", { name: template.name })}
                onRemove={() => templates.remove(template.name)}
              />
            )}
          </li>
        ))}
      </ul>
      {adding && (
        <Dialog title={t("Add template")} onClose={() => setAdding(false)}>
          <SpecForm
            fields={FIELDS}
            initial={{ recipe: RECIPE }}
            submit={t("Add")}
            onSubmit={save}
            onDone={() => setAdding(false)}
          />
        </Dialog>
      )}
    </Section>
  );
}
