/** Every story, in both themes: it renders, what somebody does in it works, and axe finds nothing. Every component is in one. */

import "@fontsource-variable/inter";
import "../styles/tokens.css";
import "../styles/base.css";
import "../ui/ui.css";
import axe from "axe-core";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { drawnIn } from "./drawn.ts";
import { serve } from "./server.ts";
import { type Story, type StoryFile, storiesOf } from "./story.ts";

const stories = storiesOf(
  import.meta.glob("../**/*.stories.tsx", { eager: true }) as Record<string, StoryFile>,
);

const modules = import.meta.glob(
  ["../**/*.tsx", "!../stories/**", "!../**/*.stories.tsx", "!../**/*.test.tsx", "!../main.tsx"],
  { eager: true },
) as Record<string, Record<string, unknown>>;
/** What the stories drew. */
const drawn = new Set<unknown>();
let looking: MutationObserver | undefined;

/** Colours are judged where they arrive: what comes late would be caught on its way. */
const STILL = new CSSStyleSheet();
STILL.replaceSync("*, ::before, ::after { transition: none !important }");

let root: Root;
let place: HTMLElement;

beforeEach(() => {
  localStorage.clear();
  place = document.createElement("section");
  place.id = "root";
  document.body.replaceChildren(place);
  root = createRoot(place);
  looking = new MutationObserver(() => drawnIn(place, drawn));
  looking.observe(place, { childList: true, subtree: true });
});
afterEach(() => {
  looking?.disconnect();
  drawnIn(place, drawn);
  root.unmount();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== STILL);
});

async function shown(story: Story) {
  document.documentElement.dataset.theme = "light";
  document.documentElement.lang = "en";
  document.title = "Story";
  await page.viewport(story.width ?? 900, story.height ?? 760);
  const asked = serve(story.answers ?? {});
  root.render(story.render());
  await settled();
  if (story.ready) await expect.poll(() => place.querySelector(story.ready ?? "")).toBeTruthy();
  return asked;
}

/** Two frames and a moment for what loads on demand. */
async function settled(): Promise<void> {
  for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => setTimeout(resolve, 60));
}

/** The same page in the other colours. */
async function darkened(): Promise<void> {
  document.documentElement.dataset.theme = "dark";
  await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** A component is no page: these hold for pages, which the flows look at. */
const OF_WHOLE_PAGES = {
  region: { enabled: false },
  "landmark-one-main": { enabled: false },
  "page-has-heading-one": { enabled: false },
};
const COLOURS = { type: "rule" as const, values: ["color-contrast", "link-in-text-block"] };

async function findings(runOnly?: typeof COLOURS): Promise<string[]> {
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"],
    ...(runOnly ? { runOnly } : { rules: OF_WHOLE_PAGES }),
  });
  return violations.flatMap((entry) =>
    entry.nodes.map((node) => `${entry.id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`),
  );
}

test.each(stories)("$name is accessible in both themes", async ({ story }) => {
  document.adoptedStyleSheets.push(STILL);
  await shown(story);
  await expect.poll(() => place.textContent, { timeout: 5_000 }).not.toBe("");
  expect(await findings()).toEqual([]);
  await darkened();
  expect(await findings(COLOURS)).toEqual([]);
});

describe("what somebody does", () => {
  test.each(stories.filter(({ story }) => story.play))("$name", async ({ story }) => {
    const asked = await shown(story);
    await story.play?.({ root: place, user: userEvent, asked });
  });
});

test("every component is in a story", ({ task }) => {
  const file = task.file.tasks.flatMap((entry) => ("tasks" in entry ? entry.tasks : [entry]));
  // Whoever runs some of the stories does not ask for all.
  if (file.some((entry) => entry.mode !== "run")) return;
  const missing = Object.entries(modules).flatMap(([path, exports]) =>
    Object.entries(exports)
      .filter(([name, value]) => /^[A-Z][a-z]/.test(name) && typeof value === "function" && !drawn.has(value))
      .map(([name]) => `${path.slice(3)}: ${name}`),
  );
  expect(missing).toEqual([]);
});
