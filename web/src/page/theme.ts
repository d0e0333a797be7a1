/** Light, dark, or as the system says. */

import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** The theme on the page: the system's, where nobody chose another. */
export function shownTheme(): "light" | "dark" {
  const theme = currentTheme();
  return theme === "system" ? (dark.matches ? "dark" : "light") : theme;
}

/** What surrounds the page in a window of its own: the colour of the canvas. */
const AROUND = { light: "#f5f4f0", dark: "#121315" };

export function applyTheme(): void {
  const theme = shownTheme();
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.colorScheme = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", AROUND[theme]);
  for (const listener of listeners) listener();
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

/** For what cannot follow by style sheet: a terminal, a diagram. */
export function useShownTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribe, shownTheme);
}

dark.addEventListener("change", applyTheme);
