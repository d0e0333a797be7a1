/** A mermaid diagram, drawn on demand; its source where it cannot be drawn. */

import { useEffect, useId, useRef, useState } from "react";
import { t } from "../language/catalogue.ts";
import { useShownTheme } from "../page/theme.ts";
import { draw } from "./drawer.ts";
import { shown } from "./shown.ts";
import "./diagrams.css";

type State = { phase: "drawing" } | { phase: "drawn" } | { phase: "failed"; reason: string };

export default function Diagram({ source }: { source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const name = `diagram${useId().replace(/\W/g, "")}`;
  const theme = useShownTheme();
  const [state, setState] = useState<State>({ phase: "drawing" });
  useEffect(() => {
    let current = true;
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
    void draw({ id: `${name}${theme}`, source, theme }).then((drawn) => {
      if (!current) return;
      const fail = (reason: string) => {
        place.current?.replaceChildren();
        setState({ phase: "failed", reason });
      };
      if (!("svg" in drawn)) return fail(drawn.reason);
      try {
        place.current?.replaceChildren(shown(drawn, sheet));
        setState({ phase: "drawn" });
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
    });
    return () => {
      current = false;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [name, source, theme]);
  return (
    <figure className="diagram" aria-label={t("Diagram")} tabIndex={state.phase === "drawn" ? 0 : undefined}>
      <div ref={place} />
      {state.phase !== "drawn" && <pre>{source}</pre>}
      {state.phase === "failed" && (
        <figcaption className="quiet small">
          {t("This diagram could not be drawn: {reason}", { reason: state.reason.slice(0, 200) })}
        </figcaption>
      )}
    </figure>
  );
}
