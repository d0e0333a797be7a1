/** Colours for the lines of a diff: both sides are painted whole, then cut into lines. */

import type { ElementContent } from "hast";
import { useEffect, useState } from "react";
import { highlight, languageOfPath } from "../markdown/highlight.ts";
import type { DiffFile, DiffLine } from "./parse.ts";

export type Painted = Map<DiffLine, ElementContent[]>;

/** The nodes of a painted text, line by line; what spans lines is opened again on each. */
export function splitLines(nodes: readonly ElementContent[]): ElementContent[][] {
  const lines: ElementContent[][] = [[]];
  for (const node of nodes) {
    const inside = node.type === "element" ? splitLines(node.children) : textLines(node);
    for (const [at, content] of inside.entries()) {
      if (at > 0) lines.push([]);
      if (content.length > 0)
        lines.at(-1)?.push(...(node.type === "element" ? [{ ...node, children: content }] : content));
    }
  }
  return lines;
}

function textLines(node: ElementContent): ElementContent[][] {
  const text = node.type === "text" ? node.value : "";
  return text.split("\n").map((value) => (value ? [{ type: "text", value }] : []));
}

export function usePainted(file: DiffFile): Painted | null {
  const [painted, setPainted] = useState<Painted | null>(null);
  useEffect(() => {
    let current = true;
    void paint(file).then((map) => current && setPainted(map));
    return () => {
      current = false;
    };
  }, [file]);
  return painted;
}

async function paint(file: DiffFile): Promise<Painted | null> {
  const language = languageOfPath(file.path);
  if (!language) return null;
  const painted: Painted = new Map();
  for (const hunk of file.hunks) {
    for (const side of ["removed", "added"] as const) {
      const lines = hunk.lines.filter((line) => line.kind === "same" || line.kind === side);
      const root = await highlight(lines.map((line) => line.text).join("\n"), language);
      if (!root) return null;
      const split = splitLines(root.children as ElementContent[]);
      for (const [at, line] of lines.entries()) painted.set(line, split[at] ?? []);
    }
  }
  return painted;
}
