/** What one teaches once. */

import { useQueryClient } from "@tanstack/react-query";
import { BookOpen, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { useResource } from "./resource.ts";
import { Nothing, Problem, Section } from "./Section.tsx";

interface Skill {
  name: string;
  description?: string;
}

interface SkillText extends Skill {
  content: string;
  files: Record<string, string>;
}

const FIELDS: FieldSpec[] = [
  {
    name: "name",
    label: t("Name"),
    required: true,
    placeholder: "release-notes",
    hint: t("Lowercase letters, digits and hyphens. An existing skill with this name is replaced."),
  },
  { name: "description", label: t("When to use it"), required: true },
  { name: "content", label: t("Instructions"), kind: "code", required: true },
];

type Open = { kind: "nothing" } | { kind: "add" } | { kind: "change"; skill: SkillText };

export function Skills() {
  const skills = useResource("/skills");
  const client = useQueryClient();
  const { complain } = useToasts();
  const [open, setOpen] = useState<Open>({ kind: "nothing" });
  const close = () => setOpen({ kind: "nothing" });
  const save = async ({ name, description, content, files }: Values) => {
    await api.put(`/skills/${encodeURIComponent(String(name))}`, { description, content, files });
    await client.invalidateQueries();
  };
  const change = (name: string) =>
    void api.get(`/skills/${name}`).then((skill) => setOpen({ kind: "change", skill }), complain);
  return (
    <Section
      title={t("Skills")}
      about={t("Reusable instructions: the agent reads a skill when its description fits the task.")}
      action={
        <Button onClick={() => setOpen({ kind: "add" })}>
          <Plus /> {t("Add skill")}
        </Button>
      }
    >
      <Problem error={skills.error} />
      <ul className="rows">
        {skills.items.map((skill) => (
          <li key={skill.name} className="card row-card">
            <div className="grow">
              <strong>{skill.name}</strong>
              <div className="quiet small">{skill.description}</div>
            </div>
            <Button
              look="ghost"
              label={t("Edit skill {name}", { name: skill.name })}
              onClick={() => change(skill.name)}
            >
              <Pencil />
            </Button>
            <RemoveButton
              label={t("Remove skill {name}", { name: skill.name })}
              onRemove={() => skills.remove(skill.name)}
            />
          </li>
        ))}
      </ul>
      {!skills.loading && !skills.error && skills.items.length === 0 && (
        <Nothing
          icon={BookOpen}
          title={t("No skills yet")}
          action={
            <Button look="primary" onClick={() => setOpen({ kind: "add" })}>
              <Plus /> {t("Add your first skill")}
            </Button>
          }
        >
          {t(
            "Write down once how something is done: release notes, a review, a query. The agent reads it when it fits the task, and you can invoke it with / in a chat.",
          )}
        </Nothing>
      )}
      {open.kind === "add" && (
        <Dialog title={t("Add skill")} onClose={close}>
          <SpecForm fields={FIELDS} initial={{}} submit={t("Save skill")} onSubmit={save} onDone={close} />
        </Dialog>
      )}
      {open.kind === "change" && (
        <Dialog title={t("Edit {name}", { name: open.skill.name })} onClose={close}>
          <SpecForm
            fields={FIELDS.filter((field) => field.name !== "name")}
            initial={{ ...open.skill }}
            submit={t("Save skill")}
            onSubmit={save}
            onDone={close}
          />
        </Dialog>
      )}
    </Section>
  );
}
