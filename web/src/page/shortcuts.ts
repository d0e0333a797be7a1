/** The keyboard: one list, which also draws the map. */

import { useLayoutEffect, useRef } from "react";
import { t } from "../language/catalogue.ts";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES: Record<string, string> = MAC ? {} : { "⌘": "Ctrl", "⌥": "Alt", "⇧": "Shift" };

/** A key as this keyboard names it. */
export function keyName(key: string): string {
  return NAMES[key] ?? key;
}

export function keyNames(...keys: string[]): string {
  return keys.map(keyName).join(" ");
}

export interface Shortcut {
  name: string;
  keys: string[];
  words: string;
}

export const SHORTCUTS: { group: string; list: Shortcut[] }[] = [
  {
    group: t("Everywhere"),
    list: [
      { name: "palette", keys: ["⌘", "K"], words: t("Search chats and commands") },
      { name: "newChat", keys: ["⌘", "⇧", "O"], words: t("New chat") },
      { name: "composer", keys: ["/"], words: t("Focus the composer") },
      { name: "sidebar", keys: ["⌘", "B"], words: t("Show or hide the chat list") },
      { name: "settings", keys: ["⌘", ","], words: t("Settings") },
      { name: "keyboard", keys: ["?"], words: t("Keyboard shortcuts") },
    ],
  },
  {
    group: t("Writing"),
    list: [
      { name: "", keys: ["Enter"], words: t("Send, or queue while the agent works") },
      { name: "", keys: ["⌘", "Enter"], words: t("Steer: send at the next step") },
      { name: "", keys: ["⌘", "⌥", "Enter"], words: t("Interrupt and send") },
      { name: "", keys: ["⇧", "Enter"], words: t("New line") },
      { name: "", keys: ["↑"], words: t("Previous messages") },
      { name: "", keys: ["/"], words: t("Commands and skills") },
      { name: "", keys: ["@"], words: t("Workspace files") },
    ],
  },
  {
    group: t("In a chat"),
    list: [
      { name: "stop", keys: ["Esc"], words: t("Stop the turn, unless you are typing") },
      { name: "find", keys: ["⌘", "F"], words: t("Find in the chat") },
      { name: "previousQuestion", keys: ["⌥", "↑"], words: t("Previous question") },
      { name: "nextQuestion", keys: ["⌥", "↓"], words: t("Next question") },
      { name: "start", keys: ["Home"], words: t("Start of the chat") },
      { name: "end", keys: ["End"], words: t("Latest message") },
      { name: "panel", keys: ["⌘", "."], words: t("Open or close the panel") },
      { name: "", keys: ["Tab"], words: t("Move through the page") },
      { name: "", keys: ["⇧", "Tab"], words: t("Leave the terminal") },
    ],
  },
];

/** The name of the shortcut that an event means. Plain letters count only outside of text. */
export function shortcutOf(event: KeyboardEvent): string | null {
  const strong = event.metaKey || event.ctrlKey;
  const key = event.key.toLowerCase();
  if (strong && key === "k") return "palette";
  if (strong && event.shiftKey && key === "o") return "newChat";
  if (strong && key === "b" && !event.shiftKey) return "sidebar";
  if (strong && key === ",") return "settings";
  if (strong && key === ".") return "panel";
  // Pressed again in ours, it is the browser's.
  if (strong && key === "f" && !event.shiftKey && !event.altKey)
    return isFinding(event.target) ? null : "find";
  if (event.altKey && !strong) return WITH_ALT[key] ?? null;
  if (key === "escape")
    return isOverlay() || isEditing(event.target) || isDraft(event.target) ? null : "stop";
  if (strong || isTyping(event.target)) return isBlank(event.target) ? (AT_REST[key] ?? null) : null;
  return PLAIN[key] ?? null;
}

const WITH_ALT: Record<string, string> = { arrowup: "previousQuestion", arrowdown: "nextQuestion" };
/** Keys that mean nothing in a box without text. */
const AT_REST: Record<string, string> = { home: "start", end: "end" };
const PLAIN: Record<string, string> = { "?": "keyboard", "/": "composer", ...AT_REST };

function isBlank(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.value === "" && !isEditing(target);
}

function isFinding(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(".find") !== null;
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Text elsewhere than in the composer: Escape leaves it, and stops nothing. */
function isEditing(target: EventTarget | null): boolean {
  return isTyping(target) && !(target as HTMLElement).closest(".composer");
}

/** Whoever writes something does not mean the turn. */
function isDraft(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.value.trim() !== "";
}

function isOverlay(): boolean {
  return document.querySelector("dialog[open], [popover]:popover-open, #suggestions") !== null;
}

const PRESSED = "shortcut";

/** Do what a shortcut does, from a button or a menu. */
export function pressShortcut(name: string): void {
  dispatchEvent(new CustomEvent(PRESSED, { detail: name }));
}

export function useShortcuts(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  // Before the page is painted: who sees it can use its keys.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const name = shortcutOf(event);
      const action = name && latest.current[name];
      if (!action) return;
      event.preventDefault();
      action();
    };
    const pressed = (event: Event) => latest.current[(event as CustomEvent<string>).detail]?.();
    addEventListener("keydown", press);
    addEventListener(PRESSED, pressed);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener(PRESSED, pressed);
    };
  }, []);
}
