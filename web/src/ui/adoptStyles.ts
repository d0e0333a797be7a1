/**
 * Styles that a library writes as markup, made to count under a policy that forbids inline styles.
 *
 * The policy ignores style elements and style attributes. The same rules in a constructed style sheet, and the same
 * declarations set through an element's style, are allowed: only our own code can do that.
 */

/** Watch `root` until the returned function is called. */
export function adoptStyles(root: Element): () => void {
  const sheets = new Map<HTMLStyleElement, CSSStyleSheet>();
  const sync = (changes: MutationRecord[] = []) => {
    for (const change of changes)
      for (const added of change.addedNodes) if (added instanceof Element) restyle(added);
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

/** Set by code what the attributes of an element and of those within it say. */
export function restyle(root: Element): void {
  if (root.hasAttribute("style")) declare(root);
  for (const element of root.querySelectorAll("[style]")) declare(element);
}

function declare(element: Element): void {
  const { style } = element as HTMLElement | SVGElement;
  if (style.length === 0) style.cssText = element.getAttribute("style") ?? "";
}
