/** What one teaches once. */

import { useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";

interface Skill {
  name: string;
  description?: string;
}

const FIELDS: FieldSpec[] = [
  { name: "name", label: "Name", required: true, placeholder: "release-notes" },
  { name: "description", label: "When to use it", required: true },
  { name: "content", label: "What to do", kind: "code", required: true },
];

export function Skills() {
  const skills = useResource<Skill>("/skills");
  const client = useQueryClient();
  const { complain } = useToasts();
  const [adding, setAdding] = useState(false);
  const save = async ({ name, ...rest }: Values) => {
    await api.put(`/skills/${encodeURIComponent(String(name))}`, rest);
    await client.invalidateQueries();
  };
  return (
    <Section
      title="Skills"
      about="Things you teach once: the agent reads a skill when its description fits the task."
      action={
        <Button onClick={() => setAdding(true)}>
          <Plus /> Add skill
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
              label={`Remove skill ${skill.name}`}
              onClick={() => void skills.remove(skill.name).catch(complain)}
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ul>
      {!skills.loading && !skills.error && skills.items.length === 0 && <p className="quiet">None yet.</p>}
      {adding && (
        <Dialog title="Add skill" onClose={() => setAdding(false)}>
          <SpecForm
            fields={FIELDS}
            initial={{}}
            submit="Keep skill"
            onSubmit={save}
            onDone={() => setAdding(false)}
          />
        </Dialog>
      )}
    </Section>
  );
}
