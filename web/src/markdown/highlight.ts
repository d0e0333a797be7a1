/** Colours for code, loaded when the first code block is shown, language by language. */

import type { Root } from "hast";

type Grammar = { default: unknown };

const LOADERS: Record<string, () => Promise<Grammar>> = {
  awk: () => import("highlight.js/lib/languages/awk"),
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  clojure: () => import("highlight.js/lib/languages/clojure"),
  cmake: () => import("highlight.js/lib/languages/cmake"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  delphi: () => import("highlight.js/lib/languages/delphi"),
  diff: () => import("highlight.js/lib/languages/diff"),
  django: () => import("highlight.js/lib/languages/django"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  dos: () => import("highlight.js/lib/languages/dos"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  erlang: () => import("highlight.js/lib/languages/erlang"),
  fortran: () => import("highlight.js/lib/languages/fortran"),
  fsharp: () => import("highlight.js/lib/languages/fsharp"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  groovy: () => import("highlight.js/lib/languages/groovy"),
  handlebars: () => import("highlight.js/lib/languages/handlebars"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  http: () => import("highlight.js/lib/languages/http"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  julia: () => import("highlight.js/lib/languages/julia"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  latex: () => import("highlight.js/lib/languages/latex"),
  less: () => import("highlight.js/lib/languages/less"),
  lisp: () => import("highlight.js/lib/languages/lisp"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  matlab: () => import("highlight.js/lib/languages/matlab"),
  nginx: () => import("highlight.js/lib/languages/nginx"),
  nix: () => import("highlight.js/lib/languages/nix"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  ocaml: () => import("highlight.js/lib/languages/ocaml"),
  perl: () => import("highlight.js/lib/languages/perl"),
  pgsql: () => import("highlight.js/lib/languages/pgsql"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  properties: () => import("highlight.js/lib/languages/properties"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scheme: () => import("highlight.js/lib/languages/scheme"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  tcl: () => import("highlight.js/lib/languages/tcl"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  verilog: () => import("highlight.js/lib/languages/verilog"),
  vhdl: () => import("highlight.js/lib/languages/vhdl"),
  vim: () => import("highlight.js/lib/languages/vim"),
  wasm: () => import("highlight.js/lib/languages/wasm"),
  x86asm: () => import("highlight.js/lib/languages/x86asm"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const ALIASES: Record<string, string> = {
  asm: "x86asm",
  astro: "xml",
  bat: "dos",
  "c++": "cpp",
  cc: "cpp",
  cfg: "ini",
  cjs: "javascript",
  clj: "clojure",
  cljs: "clojure",
  cmd: "dos",
  commonlisp: "lisp",
  conf: "ini",
  console: "bash",
  cs: "csharp",
  cts: "typescript",
  cxx: "cpp",
  docker: "dockerfile",
  edn: "clojure",
  el: "lisp",
  elisp: "lisp",
  env: "properties",
  erl: "erlang",
  ex: "elixir",
  exs: "elixir",
  f90: "fortran",
  f95: "fortran",
  fish: "bash",
  fs: "fsharp",
  fsx: "fsharp",
  gemfile: "ruby",
  golang: "go",
  gradle: "groovy",
  h: "c",
  hbs: "handlebars",
  hcl: "ini",
  hh: "cpp",
  hpp: "cpp",
  hrl: "erlang",
  hs: "haskell",
  htm: "xml",
  html: "xml",
  hxx: "cpp",
  ipython: "python",
  j2: "django",
  jenkinsfile: "groovy",
  jinja: "django",
  jinja2: "django",
  jl: "julia",
  js: "javascript",
  json5: "json",
  jsonc: "json",
  jsx: "javascript",
  ksh: "bash",
  kt: "kotlin",
  kts: "kotlin",
  m: "objectivec",
  make: "makefile",
  md: "markdown",
  mjs: "javascript",
  mk: "makefile",
  ml: "ocaml",
  mli: "ocaml",
  mts: "typescript",
  mustache: "handlebars",
  nginxconf: "nginx",
  node: "javascript",
  objc: "objectivec",
  pas: "delphi",
  pascal: "delphi",
  patch: "diff",
  pl: "perl",
  plpgsql: "pgsql",
  pm: "perl",
  podspec: "ruby",
  postgresql: "pgsql",
  proto: "protobuf",
  ps: "powershell",
  ps1: "powershell",
  psql: "pgsql",
  pwsh: "powershell",
  py: "python",
  pyi: "python",
  python3: "python",
  pyw: "python",
  racket: "scheme",
  rakefile: "ruby",
  rb: "ruby",
  rkt: "scheme",
  rs: "rust",
  sc: "scala",
  scm: "scheme",
  sh: "bash",
  shell: "bash",
  sv: "verilog",
  svelte: "xml",
  svg: "xml",
  terraform: "ini",
  tex: "latex",
  tf: "ini",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  v: "verilog",
  vhd: "vhdl",
  vimscript: "vim",
  vue: "xml",
  wat: "wasm",
  xhtml: "xml",
  yml: "yaml",
  zsh: "bash",
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
  if (name === "CMakeLists.txt") return "cmake";
  const bare = /^(Dockerfile|Makefile)/.exec(name)?.[0];
  if (bare) return languageOf(bare);
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
