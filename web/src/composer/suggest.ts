/** What the composer offers while a `/` or an `@` is being typed. */

export interface Suggestion {
  /** What is inserted, or the command's name. */
  value: string;
  hint?: string;
}
export type Trigger = { kind: "command" | "file"; query: string; from: number };

/** The word before the caret, when it asks for a suggestion. A command stands at the very start. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0 };
  const file = /(^|\s)@([\p{L}\p{N}_./-]*)$/u.exec(before);
  return file ? { kind: "file", query: file[2] ?? "", from: caret - (file[2] ?? "").length - 1 } : null;
}

/** Best first; everything in its own order while nothing is asked for. */
export function matching(suggestions: readonly Suggestion[], query: string, most = 50): Suggestion[] {
  const wanted = query.toLowerCase();
  const scored = suggestions
    .map((entry) => ({ entry, at: entry.value.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || (wanted ? a.entry.value.length - b.entry.value.length : 0));
  return scored.slice(0, most).map(({ entry }) => entry);
}

export function replaced(
  text: string,
  trigger: Trigger,
  caret: number,
  value: string,
): { text: string; caret: number } {
  const sign = trigger.kind === "command" ? "/" : "@";
  const word = `${sign}${value} `;
  return { text: text.slice(0, trigger.from) + word + text.slice(caret), caret: trigger.from + word.length };
}
