/** What the build holds of the libraries that several parts use. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { resolveConfig } from "vite";
import { expect, test } from "vitest";

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test("formulas and diagrams use the same KaTeX, so that it is built once", async () => {
  const config = await resolveConfig(
    { configFile: place("../../vite.config.ts"), logLevel: "silent" },
    "build",
  );
  const resolve = config.createResolver();
  const diagrams = createRequire(import.meta.url).resolve("mermaid");
  const used = await Promise.all([resolve("katex", place("./MathText.tsx")), resolve("katex", diagrams)]);
  expect(used[0]).toContain("katex");
  expect(used[1]).toBe(used[0]);
});
