/** A drawing as nodes of the page. */

import { type Drawn, STYLE } from "./messages.ts";

/** A drawing may shrink by a third, and one that is wide to this, and no further. */
const LEGIBLE_SHARE = 0.66;
const LEGIBLE_PX = 480;

/** The drawing as nodes of this page, its styles set by code, which the policy allows to nobody else. */
export function shown({ svg, css }: Extract<Drawn, { svg: string }>, sheet: CSSStyleSheet): Element {
  sheet.replaceSync(css);
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const root = document.importNode<Element>(parsed, true);
  if (!(root instanceof SVGSVGElement) || root.querySelector("parsererror"))
    throw new Error("The drawing could not be read.");
  for (const element of [root, ...root.querySelectorAll<HTMLElement | SVGElement>(`[${STYLE}]`)]) {
    element.style.cssText = element.getAttribute(STYLE) ?? "";
    element.removeAttribute(STYLE);
  }
  // On a phone it is scrolled rather than made too small to read.
  const { style } = root;
  if (style.maxWidth) style.minWidth = `min(${style.maxWidth} * ${LEGIBLE_SHARE}, ${LEGIBLE_PX}px)`;
  return root;
}
