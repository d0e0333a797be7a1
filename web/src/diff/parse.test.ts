import { describe, expect, test } from "vitest";
import { paired, parseDiff } from "./parse.ts";

const DIFF = `diff --git a/src/app.py b/src/app.py
index 1..2 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,5 @@ def main():
 import os
-print("a")
-print("b")
+print("A")
+print("B")
+print("C")
 exit()
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
diff --git a/pic.png b/pic.png
Binary files a/pic.png and b/pic.png differ
`;

describe("a unified diff", () => {
  const files = parseDiff(DIFF);
  test("names its files and counts their lines", () => {
    expect(files.map(({ path, added, removed, binary }) => [path, added, removed, binary])).toEqual([
      ["src/app.py", 3, 2, false],
      ["new.txt", 1, 0, false],
      ["pic.png", 0, 0, true],
    ]);
  });
  test("numbers lines on both sides", () => {
    const lines = files[0]?.hunks[0]?.lines ?? [];
    expect(lines.at(-1)).toEqual({ kind: "same", before: 4, after: 5, text: "exit()" });
  });
  test("puts what replaced a line beside it", () => {
    const pairs = paired(files[0]?.hunks[0]?.lines ?? []);
    expect(pairs.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ["import os", "import os"],
      ['print("a")', 'print("A")'],
      ['print("b")', 'print("B")'],
      [null, 'print("C")'],
      ["exit()", "exit()"],
    ]);
  });
  test("tells a renamed file by both its names, also without a change in it", () => {
    const [renamed] = parseDiff("diff --git a/a b/c b/b c\nrename from a b/c\nrename to b c\n");
    expect([renamed?.was, renamed?.path, renamed?.hunks]).toEqual(["a b/c", "b c", []]);
  });
  test("a removed line that looks like a head is a line", () => {
    const text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old words\n+++ new words\n one\n";
    const [file, ...others] = parseDiff(`${text}--- a/z\n+++ b/z\n@@ -1 +1 @@\n-x\n+y\n`);
    expect([file?.path, file?.added, file?.removed, others.length]).toEqual(["q.sql", 1, 1, 1]);
    expect(file?.hunks[0]?.lines.map((line) => line.text)).toEqual(["-- old words", "++ new words", "one"]);
  });
  test("a removed file keeps its name", () => {
    expect(parseDiff("--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n")[0]?.path).toBe("gone.txt");
  });
});
