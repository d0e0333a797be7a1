/** A diagram's source made into markup, or the reason why it cannot be. */

import mermaid from "mermaid";
import { type Drawn, STYLE, type Wanted } from "./messages.ts";

export const FONT = "Inter Variable";

export async function drawn({ request, id, source, theme }: Wanted): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: theme === "dark" ? "dark" : "neutral",
    // Without the shadows of the newer look, which shine on a dark page.
    look: "classic",
    fontFamily: `${FONT}, sans-serif`,
  });
  try {
    await mermaid.parse(source);
    const { svg } = await mermaid.render(id, source);
    return { request, ...stripped(svg) };
  } catch (error) {
    return { request, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Markup that a strict policy has nothing against, and the styles that were in it. */
function stripped(markup: string): { svg: string; css: string } {
  // Labels hold HTML, such as `<br>`, which is not well-formed XML.
  const root = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
  if (!root) throw new Error("Nothing was drawn.");
  const sheets = [...root.querySelectorAll("style")];
  for (const sheet of sheets) sheet.remove();
  for (const element of [root, ...root.querySelectorAll("[style]")]) {
    element.setAttribute(STYLE, element.getAttribute("style") ?? "");
    element.removeAttribute("style");
  }
  const css = sheets.map((sheet) => sheet.textContent).join("\n");
  return { svg: new XMLSerializer().serializeToString(root), css };
}
