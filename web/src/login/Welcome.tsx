/** The first minute: a newcomer gets to an answer, with the demo model or with a key of their own. */

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Sparkles } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { Model } from "../api/types.ts";
import { NEW_CHAT } from "../chat/network/drafts.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import "./login.css";

const FIRST_WORDS = [
  t("Explain what you can do, in five lines."),
  t("Write a small Python script that counts words in a text, and test it."),
  t("Make a plan for a weekend project: a habit tracker."),
];

export function Welcome({ models }: { models: readonly Model[] }) {
  const me = useMe();
  const { drafts } = useStores();
  const { data } = useQuery({
    queryKey: ["chats", { kind: "all" }, "welcome"],
    queryFn: () => api.get("/chats", { limit: 1 }),
  });
  if (!data || data.items.length > 0) return null;
  const suggest = (text: string) => {
    drafts.change(NEW_CHAT, (draft) => ({ ...draft, text }));
    document.querySelector<HTMLTextAreaElement>(".composer textarea")?.focus();
  };
  return (
    <section className="welcome" aria-label={t("Welcome")}>
      <h2>{me.name ? t("Welcome, {name}", { name: me.name }) : t("Welcome")}</h2>
      {models.length === 0 ? (
        <p>
          {t("No model is set up yet.")}{" "}
          {mayAdminister(me)
            ? t("Add a provider with an API key to start.")
            : t("Ask an administrator to add one.")}
        </p>
      ) : (
        <p>{t("Try one of these. The chat keeps running if you close this page.")}</p>
      )}
      <div className="welcome-choices">
        {models.length > 0 &&
          FIRST_WORDS.map((words) => (
            <button key={words} type="button" className="option" onClick={() => suggest(words)}>
              <Sparkles aria-hidden />
              <span>{words}</span>
            </button>
          ))}
        {mayAdminister(me) && (
          <Link href="/admin/providers" className="option">
            <KeyRound aria-hidden />
            <span>{t("Use your own key: Anthropic, OpenAI, Google, Ollama and more")}</span>
          </Link>
        )}
      </div>
    </section>
  );
}
