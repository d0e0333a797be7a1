/** What calls ask of a person before they go on: forms to fill in, and pages to go to. */

import { type FormEvent, useState } from "react";
import { api } from "../api/client.ts";
import type { PendingAction, PendingCall } from "../api/types.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMayDecide } from "../chat/network/people.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { SelectField, Switch, TextField } from "../ui/Field.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { contentOf, type Form, fieldsOf, type Property, type Typed, typedAtFirst } from "./forms.ts";

type Question = NonNullable<PendingCall["questions"]>[number];

export function CallQuestions({ action }: { action: PendingAction }) {
  const { approve } = useMayDecide(action);
  return (
    <>
      <ol className="pending-calls">
        {(action.calls ?? []).map((call) => (
          <CallForm key={call.call_id} call={call} may={approve} />
        ))}
      </ol>
      {!approve && <p className="quiet">{t("Others in this chat decide.")}</p>}
    </>
  );
}

const formOf = (question: Question) => (question.schema ?? {}) as Form;

/** All that one call asks: it goes on when everything is answered. */
function CallForm({ call, may }: { call: PendingCall; may: boolean }) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const questions = call.questions ?? [];
  const [typed, setTyped] = useState<Record<string, Typed>>(() =>
    Object.fromEntries(questions.map((question) => [question.key, typedAtFirst(formOf(question))])),
  );
  const [sent, setSent] = useState(false);
  const answer = (answers: object) => {
    setSent(true);
    const decisions = [{ call_id: call.call_id, decision: "answer" as const, answers }];
    api.post(`/chats/${live.id}/action`, { decisions }).catch((error: unknown) => {
      setSent(false);
      complain(error);
    });
  };
  const all = (answered: (question: Question) => object) =>
    answer(Object.fromEntries(questions.map((question) => [question.key, answered(question)])));
  const accept = (event: FormEvent) => {
    event.preventDefault();
    all((question) => ({
      action: "accept",
      content: contentOf(formOf(question), typed[question.key] ?? {}),
    }));
  };
  const settled = sent || !!call.decision;
  return (
    <li className="pending" data-decided={settled || undefined}>
      <div className="spread">
        <code className="pill">{call.tool}</code>
        {settled && <span className="pill pill-accent">{t("Answered")}</span>}
      </div>
      <form onSubmit={accept}>
        <fieldset className="call-form" disabled={settled || !may}>
          {questions.map((question) => (
            <Asked
              key={question.key}
              question={question}
              typed={typed[question.key] ?? {}}
              onType={(values) => setTyped({ ...typed, [question.key]: values })}
            />
          ))}
          {may && !settled && (
            <div className="spread wrap">
              <Button look="primary" type="submit">
                {t("Answer")}
              </Button>
              <Button onClick={() => all(() => ({ action: "decline" }))}>{t("Decline to answer")}</Button>
            </div>
          )}
        </fieldset>
      </form>
    </li>
  );
}

interface AskedProps {
  question: Question;
  typed: Typed;
  onType: (typed: Typed) => void;
}

function Asked({ question, typed, onType }: AskedProps) {
  return (
    <>
      <p className="given">{question.message}</p>
      {question.url && (
        <a className="given" href={question.url} target="_blank" rel="noreferrer noopener">
          {question.url}
        </a>
      )}
      {fieldsOf(formOf(question)).map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={typed[field.name]}
          onChange={(value) => onType({ ...typed, [field.name]: value })}
        />
      ))}
    </>
  );
}

interface OneFieldProps {
  field: Property;
  value: Typed[string];
  onChange: (value: Typed[string]) => void;
}

function OneField({ field, value, onChange }: OneFieldProps) {
  const { label, hint, required, choices, kind } = field;
  if (kind === "boolean") {
    return <Switch label={label} about={hint} checked={value === true} onChange={onChange} />;
  }
  if (kind === "several") {
    const chosen = Array.isArray(value) ? value : [];
    return (
      <fieldset>
        <legend className="given">{label}</legend>
        {choices.map((choice) => (
          <Switch
            key={choice.value}
            label={choice.label}
            checked={chosen.includes(choice.value)}
            onChange={(on) =>
              onChange(on ? [...chosen, choice.value] : chosen.filter((entry) => entry !== choice.value))
            }
          />
        ))}
      </fieldset>
    );
  }
  const text = typeof value === "string" ? value : "";
  if (kind === "one") {
    const options = [{ value: "", label: "" }, ...choices];
    return <SelectField label={label} hint={hint} value={text} options={options} onChange={onChange} />;
  }
  return (
    <TextField
      label={label}
      hint={hint}
      required={required}
      type={kind === "number" ? "number" : "text"}
      step="any"
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
