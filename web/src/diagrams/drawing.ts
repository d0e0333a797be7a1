/** The frame that draws. It has no origin and may load nothing but its own scripts: what a model wrote is drawn here. */

import "@fontsource-variable/inter";
import mermaid from "mermaid";
import { type Drawn, READY, STYLE, type Wanted } from "./messages.ts";

const FONT = "Inter Variable";

async function drawn({ request, id, source, theme }: Wanted): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: theme === "dark" ? "dark" : "neutral",
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
  const root = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  const sheets = [...root.querySelectorAll("style")];
  for (const sheet of sheets) sheet.remove();
  for (const element of [root, ...root.querySelectorAll("[style]")]) {
    element.setAttribute(STYLE, element.getAttribute("style") ?? "");
    element.removeAttribute("style");
  }
  const css = sheets.map((sheet) => sheet.textContent).join("\n");
  return { svg: new XMLSerializer().serializeToString(root), css };
}

addEventListener("message", (event: MessageEvent<Wanted>) => {
  if (event.source !== parent) return;
  void drawn(event.data).then((answer) => parent.postMessage(answer, event.origin));
});

// What is measured with another font would not fit its box.
void document.fonts.load(`16px "${FONT}"`).finally(() => parent.postMessage(READY, "*"));
