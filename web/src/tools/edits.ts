/** Edits that have no diff yet, written as one: what goes, and what comes. */

export interface FileEdits {
  path?: string;
  edits?: { old_text?: string; new_text?: string }[];
}

export function sketch(files: readonly FileEdits[]): string {
  return files
    .map(({ path = "", edits = [] }) => {
      const hunks = edits.map(({ old_text = "", new_text = "" }) => hunk(old_text, new_text));
      return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join("\n");
    })
    .join("\n");
}

function hunk(before: string, after: string): string {
  const [removed, added] = [linesOf(before), linesOf(after)];
  const head = `@@ -1,${removed.length} +1,${added.length} @@`;
  return [head, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join("\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
