/** A mermaid diagram, drawn on demand; its source where it cannot be drawn. */

import mermaid from "mermaid";
import { useEffect, useId, useRef, useState } from "react";
import { useShownTheme } from "../app/theme.ts";
import { adoptStyles, restyle } from "../ui/adoptStyles.ts";

type State = { phase: "drawing" } | { phase: "drawn" } | { phase: "failed"; reason: string };

export default function Diagram({ source }: { source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const id = `diagram${useId().replace(/\W/g, "")}`;
  const theme = useShownTheme();
  const [state, setState] = useState<State>({ phase: "drawing" });
  useEffect(() => {
    let current = true;
    const undo = adoptStyles(document.body);
    draw(id, source, theme)
      .then((svg) => {
        if (!current || !place.current) return;
        place.current.replaceChildren(svg);
        restyle(place.current);
        setState({ phase: "drawn" });
      })
      .catch((error: unknown) => current && setState({ phase: "failed", reason: String(error) }));
    return () => {
      current = false;
      undo();
    };
  }, [id, source, theme]);
  return (
    <figure className="diagram" aria-label="Diagram">
      <div ref={place} />
      {state.phase !== "drawn" && <pre>{source}</pre>}
      {state.phase === "failed" && (
        <figcaption className="quiet small">
          This diagram has an error: {state.reason.slice(0, 200)}
        </figcaption>
      )}
    </figure>
  );
}

async function draw(id: string, source: string, shown: "light" | "dark"): Promise<Element> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: shown === "dark" ? "dark" : "neutral",
    fontFamily: "Inter Variable, sans-serif",
  });
  await mermaid.parse(source);
  // Twice: the first drawing leaves its styles to be adopted, the second is measured with them.
  await mermaid.render(id, source);
  const { svg } = await mermaid.render(id, source);
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return document.importNode(parsed, true);
}
