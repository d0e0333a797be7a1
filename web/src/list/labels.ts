/** Labels of chats: names with values, which people write as `team: docs` or simply `urgent`. Pure. */

export type Labels = Readonly<Record<string, string>>;

/** What a label without a value has as one. */
const PLAIN = "yes";

/** The name and the value that somebody means. */
export function labelOf(text: string): [string, string] | null {
  const at = text.indexOf(":");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  const value = at < 0 ? PLAIN : text.slice(at + 1).trim();
  return name && value ? [name, value] : null;
}

export function wordsOfLabel(name: string, value: string): string {
  return value === PLAIN ? name : `${name}: ${value}`;
}

export function labelled(labels: Labels, name: string, value: string | null): Labels {
  const { [name]: _, ...others } = labels;
  return value === null ? others : { ...others, [name]: value };
}

/** Those that all of them have. */
export function sharedLabels(all: readonly Labels[]): Labels {
  const [first = {}, ...rest] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => rest.every((labels) => labels[name] === value)),
  );
}
