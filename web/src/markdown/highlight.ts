/** Colours for code, loaded when the first code block is shown, language by language. */

import type { Root } from "hast";

type Grammar = { default: unknown };

const LOADERS: Record<string, () => Promise<Grammar>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const ALIASES: Record<string, string> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  h: "c",
  cc: "cpp",
  hpp: "cpp",
  "c++": "cpp",
  cs: "csharp",
  patch: "diff",
  docker: "dockerfile",
  toml: "ini",
  cfg: "ini",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  py: "python",
  python3: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  html: "xml",
  svg: "xml",
  yml: "yaml",
};

/** Past this a block stays plain: colouring it would cost more than it tells. */
const LONGEST = 100_000;

export function languageOf(name: string): string | null {
  const lower = name.toLowerCase();
  const known = ALIASES[lower] ?? lower;
  return known in LOADERS ? known : null;
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): string | null {
  const name = path.split("/").at(-1) ?? "";
  if (/^(Dockerfile|Makefile)/.test(name)) return name.startsWith("D") ? "dockerfile" : "makefile";
  return languageOf(name.split(".").at(-1) ?? "");
}

const loaded = new Map<string, Promise<(code: string) => Root>>();

/** What was coloured lately, so that scrolling back to it costs nothing. */
const KEPT = 300;
const kept = new Map<string, Root>();
const keyOf = (code: string, language: string) => `${language}\n${code}`;

export function highlighted(code: string, language: string): Root | undefined {
  return kept.get(keyOf(code, language));
}

export async function highlight(code: string, language: string): Promise<Root | null> {
  if (code.length > LONGEST) return null;
  let painter = loaded.get(language);
  if (!painter) {
    painter = load(language);
    loaded.set(language, painter);
  }
  const root = (await painter)(code);
  kept.set(keyOf(code, language), root);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? "");
  return root;
}

async function load(language: string): Promise<(code: string) => Root> {
  const loader = LOADERS[language] as () => Promise<Grammar>;
  const [{ painterOf }, grammar] = await Promise.all([import("./painter.ts"), loader()]);
  return painterOf(language, grammar.default);
}
