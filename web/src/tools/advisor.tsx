import { Lightbulb } from "lucide-react";
import { type Call, structured, textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { Facts } from "../ui/Facts.tsx";
import { type Fields, outputOf, type Renderer, tense } from "./renderer.ts";

type Advice =
  | { type: "thinking"; text: string }
  | { type: "advice"; text: string; model: string; remaining: number | null }
  | { type: "limit_reached" }
  | { type: "error"; reason: string };

function adviceOf(call: Call): Advice {
  if (call.state.phase === "failed") return { type: "error", reason: call.state.reason };
  const text = outputOf(call);
  const fields = structured(text);
  if (!fields)
    return call.state.phase === "done"
      ? { type: "advice", text, model: "", remaining: null }
      : { type: "thinking", text };
  if (fields.type === "limit_reached") return { type: "limit_reached" };
  if (fields.type === "error") return { type: "error", reason: textField(fields, "error") };
  const remaining = typeof fields.remaining_uses === "number" ? fields.remaining_uses : null;
  return { type: "advice", text: textField(fields, "advice"), model: textField(fields, "model"), remaining };
}

function AdviceView({ advice }: { advice: Advice }) {
  switch (advice.type) {
    case "thinking":
      return advice.text ? (
        <Markdown text={advice.text} />
      ) : (
        <p className="quiet">{t("Thinking about it…")}</p>
      );
    case "limit_reached":
      return <p className="quiet">{t("The advisor's limit for this turn is reached.")}</p>;
    case "error":
      return <p className="call-failed">{advice.reason}</p>;
    case "advice":
      return (
        <>
          <Markdown text={advice.text} />
          <p className="quiet small">
            <Facts
              of={[
                advice.model,
                advice.remaining !== null &&
                  t("{count, plural, one {# use left} other {# uses left}}", { count: advice.remaining }),
              ]}
            />
          </p>
        </>
      );
  }
}

function Advisor({ call, fields }: { call: Call; fields: Fields }) {
  return (
    <div className="advisor stack">
      <p className="advisor-question">{textField(fields, "question")}</p>
      <AdviceView advice={adviceOf(call)} />
    </div>
  );
}

export const advisor: Renderer = {
  icon: Lightbulb,
  line: (_, call) => ({ verb: tense(call, t("Asking the advisor"), t("Asked the advisor")) }),
  Body: Advisor,
  open: true,
};
