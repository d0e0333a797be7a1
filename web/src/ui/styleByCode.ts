/**
 * For a library that writes styles into markup, under a policy that forbids that.
 *
 * The policy refuses style elements and style attributes. The same rules in a constructed style sheet, and the same
 * declarations set through an element's style, are allowed: only our own code can do that.
 */

/** Until the returned function is called, elements are made such that the styles they are given count. */
export function styleByCode(): () => void {
  const sheets: CSSStyleSheet[] = [];
  // Its own property hides the one that documents share; taking it away brings that back.
  document.createElement = (tag: string, options?: ElementCreationOptions) =>
    tag === "style" ? styleElement(sheets) : plainElement(tag, options);
  return () => {
    Reflect.deleteProperty(document, "createElement");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

const made = (tag: string, options?: ElementCreationOptions) =>
  Document.prototype.createElement.call(document, tag, options);

/** In a style element's place: what is written into it becomes a sheet of the page. */
function styleElement(sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.push(sheet);
  document.adoptedStyleSheets.push(sheet);
  const element = made("span");
  element.hidden = true;
  Object.defineProperty(element, "textContent", { set: (rules: string) => sheet.replaceSync(rules) });
  return element;
}

function plainElement(tag: string, options?: ElementCreationOptions): HTMLElement {
  const element = made(tag, options);
  element.setAttribute = setAttribute;
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
