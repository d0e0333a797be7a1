import { MessageCircleQuestionMark } from "lucide-react";
import { useState } from "react";
import { useSettled } from "../chat/network/reading.ts";
import { useSay } from "../chat/network/send.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import type { Fields, Renderer } from "./renderer.ts";

interface Option {
  label: string;
  description?: string;
}
interface Question {
  question: string;
  options: Option[];
}

/** The questions as far as they are written. */
function questionsOf(fields: Fields): Question[] {
  const list = Array.isArray(fields.questions) ? (fields.questions as Partial<Question>[]) : [];
  return list.map(({ question = "", options = [] }) => ({ question, options }));
}

/** Questions with buttons. Choosing all of them is the answer; anything else can still be typed below. */
function Questions({
  fields,
  call_id,
  failure,
}: {
  fields: Fields;
  call_id: string;
  failure: string | null;
}) {
  const questions = questionsOf(fields);
  const [chosen, setChosen] = useState<Record<number, string>>({});
  const [sent, setSent] = useState(false);
  const settled = useSettled(call_id) || sent || failure !== null;
  const say = useSay();
  const answer = (choice: Record<number, string>) => {
    const text = questions
      .map((entry, at) => (questions.length > 1 ? `${entry.question}\n${choice[at]}` : choice[at]))
      .join("\n\n");
    setSent(true);
    void say({ text });
  };
  const choose = (at: number, label: string) => {
    const next = { ...chosen, [at]: label };
    setChosen(next);
    if (questions.length === 1) answer(next);
  };
  const complete = questions.every((_, at) => chosen[at]);
  return (
    <div className="questions">
      {failure !== null && (
        <p className="call-failed given" role="note">
          {t("These questions can no longer be answered: {failure}", { failure })}
        </p>
      )}
      {questions.map((entry, at) => (
        <fieldset key={entry.question} disabled={settled}>
          <legend className="given">{entry.question}</legend>
          <div className="options">
            {entry.options.map((option) => (
              <button
                key={option.label}
                type="button"
                className="option"
                aria-pressed={chosen[at] === option.label}
                onClick={() => choose(at, option.label)}
              >
                <strong className="given">{option.label}</strong>
                {option.description && <span className="quiet given">{option.description}</span>}
              </button>
            ))}
          </div>
        </fieldset>
      ))}
      {questions.length > 1 && !settled && (
        <Button look="primary" disabled={!complete} onClick={() => answer(chosen)}>
          {t("Answer")}
        </Button>
      )}
    </div>
  );
}

export const askUserQuestion: Renderer = {
  icon: MessageCircleQuestionMark,
  line: (fields) => {
    const count = questionsOf(fields).length;
    return {
      verb:
        count > 1
          ? t("{count, plural, one {# question for you} other {# questions for you}}", { count })
          : t("A question for you"),
    };
  },
  Body: ({ call, fields }) => (
    <Questions
      fields={fields}
      call_id={call.part.call_id}
      failure={call.state.phase === "failed" ? call.state.reason : null}
    />
  ),
  open: true,
};
