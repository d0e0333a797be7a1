/** What one teaches once. */

import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { ResourcePage } from "./ResourcePage.tsx";
import { Section } from "./Section.tsx";

interface Skill {
  name: string;
  description?: string;
}

export function Skills() {
  return (
    <Section
      title="Skills"
      about="Things you teach once: the agent reads a skill when its description fits the task."
    >
      <SkillForm />
      <SkillList />
    </Section>
  );
}

const SKILL: FieldSpec[] = [
  { name: "name", label: "Name", required: true, placeholder: "release-notes" },
  { name: "description", label: "When to use it", required: true },
  { name: "content", label: "What to do", kind: "area", required: true },
];

function SkillForm() {
  const client = useQueryClient();
  const save = async ({ name, ...rest }: Values) => {
    await api.put(`/skills/${encodeURIComponent(String(name))}`, rest);
    await client.invalidateQueries({ queryKey: ["resource", "/skills"] });
  };
  return <SpecForm fields={SKILL} initial={{}} submit="Keep skill" onSubmit={save} />;
}

function SkillList() {
  return (
    <ResourcePage<Skill>
      title="Kept"
      about=""
      path="/skills"
      noun="skill"
      fields={SKILL}
      initial={{}}
      fixed
      idOf={(skill) => skill.name}
      row={(skill) => (
        <>
          <strong>{skill.name}</strong> <span className="quiet">{skill.description}</span>
        </>
      )}
    />
  );
}
