/** A person without a pointer: what a flow clicks is gone to and pressed with keys, and must be reachable by them. */

import { expect, type Locator, type Page } from "@playwright/test";

/** Where arrows go from one to the next, and Tab stops once: at one of them, or at the box that is typed in. */
const BY_ARROWS = /^(menuitem|menuitemradio|menuitemcheckbox|option|tab)$/;
const MOST_STEPS = 60;

interface Found {
  role: string;
  /** Why keys do not get there, or "". */
  wrong: string;
  /** What is pressed there. */
  key: string;
}

/** What is meant by a click: the thing itself, what its label names, what it stands in, or what stands in its middle. */
function found(element: Element): Found {
  const stops = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]';
  const named = element.closest("label")?.control;
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2)?.closest(stops);
  const within = hit && element.contains(hit) ? hit : element.querySelector(stops);
  // A frame around what is typed in takes no focus itself.
  const frames = element instanceof HTMLElement && element.tabIndex < 0 && element.querySelector("textarea");
  const stop = frames || (element.matches(stops) ? element : (named ?? element.closest(stops) ?? within));
  if (!(stop instanceof HTMLElement)) return { role: "", wrong: "nothing that takes the focus", key: "" };
  for (const before of document.querySelectorAll("[data-meant]")) before.removeAttribute("data-meant");
  stop.setAttribute("data-meant", "");
  const role = stop.getAttribute("role") ?? "";
  const wrong = stop.closest("[inert]")
    ? "inert"
    : stop.matches(":disabled")
      ? "disabled"
      : stop.tabIndex < 0 && !/^(menuitem.*|option|tab)$/.test(role)
        ? "no stop of Tab"
        : "";
  const switched = stop.matches("input[type=checkbox], input[type=radio]");
  return { role, wrong, key: switched ? "Space" : "Enter" };
}

/** Whether keys are there now: by the focus, or by what the box that is typed in points to. */
function isThere(element: Element): boolean {
  const active = document.activeElement;
  return (
    element === active ||
    element.getAttribute("aria-selected") === "true" ||
    (element.id !== "" && active?.getAttribute("aria-activedescendant") === element.id)
  );
}

/** What has the focus is seen, also where it waits for the pointer otherwise, and it is seen that it has it. */
function isSeen(element: Element): boolean {
  const typed = 'textarea, input:not([type="checkbox"], [type="radio"], [type="range"], [type="file"])';
  // A caret stands in what is typed in; of a list the line that is chosen is coloured.
  if (element.matches(typed)) return true;
  const box = element.getBoundingClientRect();
  const outlined = (other: Element | null, part?: string) => {
    if (other === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(other, part);
    return outlineStyle !== "none" && outlineWidth !== "0px";
  };
  // What is drawn for a switch or a segment stands beside it.
  if (element.matches("input")) return outlined(element) || outlined(element.nextElementSibling);
  const marked =
    outlined(element) ||
    outlined(element, "::after") ||
    /^(menuitem.*|option)$/.test(element.getAttribute("role") ?? "");
  return marked && element.checkVisibility({ opacityProperty: true }) && box.width > 0;
}

async function goTo(what: Locator): Promise<{ meant: Locator; key: string }> {
  const page = what.page();
  await expect(what).toBeVisible();
  let about: Found = { role: "", wrong: "", key: "" };
  // What is busy now may be free in a moment.
  await expect(async () => {
    about = await what.evaluate(found);
    expect(about.wrong, `${what}, by keyboard`).toBe("");
  }).toPass();
  const meant = page.locator("[data-meant]");
  if (!BY_ARROWS.test(about.role)) {
    await meant.focus();
    await expect(meant).toBeFocused();
    await expect.poll(() => meant.evaluate(isSeen)).toBe(true);
    return { meant, key: about.key };
  }
  if (about.role === "tab") await page.locator('[role="tab"][tabindex="0"]').first().focus();
  for (let step = 0; !(await meant.evaluate(isThere)); step++) {
    expect(step, `steps to ${what}`).toBeLessThan(MOST_STEPS);
    await page.keyboard.press(about.role === "tab" ? "ArrowRight" : "ArrowDown");
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  return { meant, key: about.role === "tab" ? "" : about.key };
}

async function press(what: Locator, { button }: { button?: string } = {}): Promise<void> {
  const { key } = await goTo(what);
  const pressed = button === "right" ? "Shift+F10" : key;
  if (pressed) await what.page().keyboard.press(pressed);
}

async function turn(what: Locator, on: boolean): Promise<void> {
  const { meant } = await goTo(what);
  if ((await meant.isChecked()) !== on) await what.page().keyboard.press("Space");
  await expect(what).toBeChecked({ checked: on });
}

/** A list of the browser's own: arrows go through it without opening it. */
async function choose(what: Locator, wanted: string): Promise<string[]> {
  const { meant } = await goTo(what);
  const distance = () =>
    meant.evaluate((list: HTMLSelectElement, wanted) => {
      const to = [...list.options].findIndex((option) => option.value === wanted || option.label === wanted);
      return to < 0 ? null : to - list.selectedIndex;
    }, wanted);
  await expect.poll(distance, `${wanted} in ${what}`).not.toBe(null);
  for (let left = await distance(); left; left = await distance())
    await what.page().keyboard.press(left > 0 ? "ArrowDown" : "ArrowUp");
  return [wanted];
}

let without = false;

/** From now on nothing of this process is clicked. */
export function goWithoutPointer(page: Page): void {
  if (without) return;
  without = true;
  const locators = Object.getPrototypeOf(page.locator("body"));
  Object.assign(locators, {
    click(this: Locator, options?: { button?: string }) {
      return press(this, options);
    },
    check(this: Locator) {
      return turn(this, true);
    },
    uncheck(this: Locator) {
      return turn(this, false);
    },
    selectOption(this: Locator, wanted: string) {
      return choose(this, wanted);
    },
  });
}
