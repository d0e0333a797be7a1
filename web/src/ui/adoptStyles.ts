/**
 * Style elements that a library inserts, made to count under a policy that forbids inline styles.
 *
 * The policy ignores such an element; the same rules in a constructed style sheet are allowed, since only our own code can make one.
 */

/** Watch `root` until the returned function is called. */
export function adoptStyles(root: Element): () => void {
  const sheets = new Map<HTMLStyleElement, CSSStyleSheet>();
  const sync = () => {
    const present = new Set(root.querySelectorAll("style"));
    for (const element of present) copy(element as HTMLStyleElement, sheets);
    for (const [element, sheet] of sheets) if (!present.has(element)) drop(element, sheet, sheets);
  };
  const observer = new MutationObserver(sync);
  observer.observe(root, { childList: true, subtree: true, characterData: true });
  sync();
  return () => {
    observer.disconnect();
    for (const [element, sheet] of sheets) drop(element, sheet, sheets);
  };
}

function copy(element: HTMLStyleElement, sheets: Map<HTMLStyleElement, CSSStyleSheet>): void {
  let sheet = sheets.get(element);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheets.set(element, sheet);
    document.adoptedStyleSheets.push(sheet);
  }
  sheet.replaceSync(element.textContent ?? "");
}

function drop(
  element: HTMLStyleElement,
  sheet: CSSStyleSheet,
  sheets: Map<HTMLStyleElement, CSSStyleSheet>,
): void {
  sheets.delete(element);
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
}

/** Style attributes in markup are ignored too; the same declarations set by code are not. */
export function applyStyleAttributes(root: Element): void {
  for (const element of root.querySelectorAll<SVGElement | HTMLElement>("[style]")) {
    element.style.cssText = element.getAttribute("style") ?? "";
  }
}
