/** What a person sets for themselves. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Provider, Session, Token } from "../api/types.ts";
import { useMe } from "../app/session.ts";
import { setTheme, type Theme, useTheme } from "../app/theme.ts";
import { askToNotify } from "../inbox/notify.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { SelectField } from "../ui/Field.tsx";
import { fullTime } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { ResourcePage } from "./ResourcePage.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";
import { SettingForm } from "./SettingForm.tsx";

const PROFILE: FieldSpec[] = [
  { name: "name", label: "Name" },
  { name: "password", label: "New password", kind: "password", hint: "Leave it empty to keep the old one." },
];
const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function Profile() {
  const me = useMe();
  const theme = useTheme();
  const client = useQueryClient();
  const { say } = useToasts();
  const save = async ({ name, password }: Values) => {
    await api.patch("/me", { name, ...(password ? { password } : {}) });
    await client.invalidateQueries({ queryKey: ["me"] });
    say("Saved.");
  };
  return (
    <>
      <Section title="Profile" about={`${me.email} · ${me.role}`}>
        <SpecForm fields={PROFILE} initial={{ name: me.name }} submit="Save" onSubmit={save} />
      </Section>
      <Sessions />
      <Section title="Appearance">
        <SelectField label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      </Section>
    </>
  );
}

function Sessions() {
  const sessions = useResource<Session>("/sessions");
  const { complain } = useToasts();
  return (
    <Section title="Signed in" about="Where you are signed in.">
      <Problem error={sessions.error} />
      <ul className="rows">
        {sessions.items.map((session) => (
          <li key={session.id} className="card row-card">
            <div className="grow">
              <div className="truncate">{session.user_agent || session.address}</div>
              <div className="quiet small">since {fullTime(session.created_at)}</div>
            </div>
            {session.current ? (
              <span className="pill pill-good">here</span>
            ) : (
              <Button small onClick={() => void sessions.remove(session.id).catch(complain)}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Keys of one's own: they pay for one's own chats. */
export function PersonalKeys() {
  const providers = useResource<Provider>("/providers");
  const { say } = useToasts();
  return (
    <Section title="Your keys" about="A key of your own pays for your own chats, before the deployment's.">
      <Problem error={providers.error} />
      {providers.items.map((provider) => (
        <SpecForm
          key={provider.id}
          fields={[{ name: "key", label: provider.name, kind: "password", required: true }]}
          initial={{}}
          submit="Save key"
          onSubmit={({ key }) => api.post(`/providers/${provider.id}/keys`, { key, personal: true })}
          onDone={() => say("Saved.")}
        >
          <Button
            look="ghost"
            onClick={() =>
              void api.delete(`/providers/${provider.id}/keys?personal=true`).then(() => say("Removed."))
            }
          >
            Remove mine
          </Button>
        </SpecForm>
      ))}
    </Section>
  );
}

export function PersonalPrompt() {
  return (
    <SettingForm
      title="Your instructions"
      about="Every chat of yours begins with them: how you like answers, what to avoid, who you are."
      base="/me/settings"
      name="prompt"
      fields={[{ name: "value", label: "Instructions", kind: "area" }]}
    />
  );
}

export function Notifications() {
  const [state, setState] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  const ask = () => void askToNotify().then((granted) => setState(granted ? "granted" : "denied"));
  return (
    <Section
      title="Notifications"
      about="The browser tells you when a chat finishes, fails or needs you, while you look elsewhere."
    >
      {state === "granted" && <p>Notifications are on in this browser.</p>}
      {state === "denied" && <p>This browser does not allow them. Its site settings can change that.</p>}
      {state === "default" && (
        <div>
          <Button look="primary" onClick={ask}>
            Turn on
          </Button>
        </div>
      )}
    </Section>
  );
}

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

const TOKEN: FieldSpec[] = [
  { name: "name", label: "Name", required: true, placeholder: "deploy bot" },
  { name: "scopes", label: "May", kind: "list", hint: "read, chat, admin" },
  { name: "expires_in_days", label: "Expires after (days)", kind: "number", hint: "Empty: never." },
];

export function Tokens() {
  return (
    <ResourcePage<Token>
      title="API tokens"
      about="For programs that speak on your behalf. A token can do what you can."
      path="/tokens"
      noun="token"
      fields={TOKEN}
      initial={{ scopes: ["chat"] }}
      fixed
      idOf={(token) => token.id}
      row={(token) => (
        <>
          <strong>{token.name}</strong> <code>…{token.hint}</code>{" "}
          <span className="pill">{token.scopes.join(", ")}</span>
          <div className="quiet small">
            made {fullTime(token.created_at)}
            {token.used_at ? `, last used ${fullTime(token.used_at)}` : ", never used"}
          </div>
        </>
      )}
      made={(token) => <Secret text={token.secret ?? ""} />}
    />
  );
}

function Secret({ text }: { text: string }) {
  return (
    <div className="stack">
      <p>Copy it now: it is not shown again.</p>
      <div className="spread secret">
        <code className="grow">{text}</code>
        <CopyButton text={() => text} label="Copy token" />
      </div>
    </div>
  );
}
