/** A mermaid diagram, drawn on demand; its source where it cannot be drawn. */

import { useEffect, useId, useRef, useState } from "react";
import { useShownTheme } from "../app/theme.ts";
import { draw } from "./drawer.ts";
import { type Drawn, STYLE } from "./messages.ts";
import "./diagrams.css";

/** A wider drawing may shrink to this, and no further. */
const LEGIBLE_PX = 480;

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
      if ("svg" in drawn) place.current?.replaceChildren(shown(drawn, sheet));
      setState("svg" in drawn ? { phase: "drawn" } : { phase: "failed", reason: drawn.reason });
    });
    return () => {
      current = false;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [name, source, theme]);
  return (
    <figure className="diagram" aria-label="Diagram">
      <div ref={place} />
      {state.phase !== "drawn" && <pre>{source}</pre>}
      {state.phase === "failed" && (
        <figcaption className="quiet small">
          This diagram could not be drawn: {state.reason.slice(0, 200)}
        </figcaption>
      )}
    </figure>
  );
}

/** The drawing as nodes of this page, its styles set by code, which the policy allows to nobody else. */
function shown({ svg, css }: Extract<Drawn, { svg: string }>, sheet: CSSStyleSheet): Element {
  sheet.replaceSync(css);
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const root = document.importNode(parsed, true);
  for (const element of [root, ...root.querySelectorAll(`[${STYLE}]`)]) {
    (element as HTMLElement | SVGElement).style.cssText = element.getAttribute(STYLE) ?? "";
    element.removeAttribute(STYLE);
  }
  // On a phone it is scrolled rather than made too small to read.
  const { style } = root as unknown as SVGElement;
  if (style.maxWidth) style.minWidth = `min(${style.maxWidth}, ${LEGIBLE_PX}px)`;
  return root;
}
