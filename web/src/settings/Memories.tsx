/** What agents know from earlier chats: written, looked through, changed and forgotten by people. */

import { Brain } from "lucide-react";
import { Link } from "wouter";
import type { Memory } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { Facts } from "../ui/Facts.tsx";
import type { FieldSpec } from "./form.tsx";
import { ResourcePage } from "./ResourcePage.tsx";

const TEXT: FieldSpec = {
  name: "text",
  label: t("Fact"),
  kind: "area",
  required: true,
  placeholder: t("Releases are tagged on Mondays."),
};
const LABEL: FieldSpec = {
  name: "label",
  label: t("Only for chats with this label"),
  placeholder: t("project:atlas"),
  hint: t("Leave empty for all chats."),
};
const WHOSE: FieldSpec = {
  name: "whose",
  label: t("For"),
  kind: "choice",
  only: "create",
  options: [
    { value: "person", label: t("My chats") },
    { value: "organisation", label: t("Everyone in the organization") },
  ],
};

export function Memories() {
  const admin = mayAdminister(useMe());
  return (
    <ResourcePage
      title={t("Memory")}
      about={t(
        "Facts that agents are told in later chats. You write them, or an agent keeps one. A chat that others can read is not told yours.",
      )}
      path="/memories"
      noun={t("memory")}
      initial={{ text: "", label: "", whose: "person" }}
      fields={admin ? [TEXT, LABEL, WHOSE] : [TEXT, LABEL]}
      nothing={{
        icon: Brain,
        title: t("No memories yet"),
        words: t("Write down what every agent should know, or tell an agent to remember something."),
      }}
      idOf={(memory) => memory.id}
      mine={(memory) => memory.may_change}
      words={(memory) => `${memory.text} ${memory.label ?? ""}`}
      row={(memory) => (
        <>
          <div className="given">{memory.text}</div>
          <div className="quiet small">
            <Facts
              of={[
                ...kinds(memory),
                memory.chat_id && (
                  <Link href={`/chats/${memory.chat_id}?message=${memory.message}`}>{t("Open chat")}</Link>
                ),
              ]}
            />
          </div>
        </>
      )}
    />
  );
}

function* kinds(memory: Memory): Generator<string> {
  yield memory.whose === "organisation" ? t("Everyone in the organization") : t("My chats");
  if (memory.label) yield memory.label;
  yield memory.by_agent ? t("Saved by an agent") : t("Written by hand");
}
