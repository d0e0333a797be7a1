/** What a tool may do, and whose word counts. No React. */

export type Policy = "auto" | "ask" | "deny";
export type Rules = Readonly<Record<string, Policy>>;
/** Who can settle it: the organisation for everybody, a person for their chats, a chat for itself. */
export type Level = "organisation" | "person" | "chat";
export type Layers = Partial<Record<Level, Rules | undefined>>;

export interface ToolFacts {
  name: string;
  description: string;
  /** Whether a person is asked where nobody has settled anything. */
  asks?: boolean;
}

export interface InEffect {
  policy: Policy;
  /** Whose word it is. */
  by: Level | "default";
}

/** What the organisation denies stays denied; otherwise the nearest word counts. */
export function inEffect({ name, asks }: ToolFacts, { organisation, person, chat }: Layers): InEffect {
  const house = organisation?.[name];
  if (house === "deny") return { policy: house, by: "organisation" };
  if (chat?.[name]) return { policy: chat[name], by: "chat" };
  if (person?.[name]) return { policy: person[name], by: "person" };
  if (house) return { policy: house, by: "organisation" };
  return { policy: asks ? "ask" : "auto", by: "default" };
}

/** The tools that are known, and those that a rule names: an MCP server's are known to the server alone. */
export function toolsWith(known: readonly ToolFacts[], layers: Layers): ToolFacts[] {
  const names = new Set(known.map(({ name }) => name));
  const ruled = Object.values(layers).flatMap((rules) => Object.keys(rules ?? {}));
  const others = [...new Set(ruled)].filter((name) => !names.has(name)).sort();
  return [...known, ...others.map((name) => ({ name, description: "" }))];
}

/** Those whose name or description has every word. */
export function found(tools: readonly ToolFacts[], wanted: string): ToolFacts[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter(({ name, description }) => {
    const text = `${name} ${name.replaceAll("_", " ")} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rules with another one; without a policy, with none for the tool. */
export function ruled(rules: Rules, tool: string, policy: Policy | null): Rules {
  const { [tool]: _, ...others } = rules;
  return policy ? { ...others, [tool]: policy } : others;
}
