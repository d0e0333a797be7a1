import { lazy, memo, Suspense } from "react";
import { t } from "../language/catalogue.ts";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Colored } from "./Colored.tsx";
import { languageOf } from "./highlight.ts";

const Diagram = lazy(() => import("../diagrams/Diagram.tsx"));

interface Props {
  code: string;
  lang: string;
  /** An open block is still being written: it stays plain until its end is known. */
  closed: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, lang, closed }: Props) {
  if (lang === "mermaid" && closed) {
    return (
      <Suspense fallback={<pre className="code-plain">{code}</pre>}>
        <Diagram source={code} />
      </Suspense>
    );
  }
  const named = lang !== "" && lang !== "text";
  return (
    <div className={named ? "code" : "code code-bare"}>
      <div className="code-head">
        <span className="grow">{named && lang}</span>
        <CopyButton text={() => code} label={t("Copy code")} />
      </div>
      <pre tabIndex={0} aria-label={t("{lang} code", { lang: lang || t("text") })}>
        <code>
          <Colored code={code} language={closed ? languageOf(lang) : null} />
        </code>
      </pre>
    </div>
  );
});
