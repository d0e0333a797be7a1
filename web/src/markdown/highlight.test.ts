/** Which languages have colours, by the names that models and files give them. */

import { expect, test } from "vitest";
import { highlight, languageOf, languageOfPath } from "./highlight.ts";

test.each([
  ["awk", "BEGIN { print 1 }"],
  ["bat", "@echo off\nset X=1"],
  ["clj", "(defn f [x] (+ x 1))"],
  ["cmake", "add_executable(app main.cpp)"],
  ["dart", "void main() { print('x'); }"],
  ["ex", "defmodule A do\nend"],
  ["erl", "-module(a)."],
  ["f90", "program a\nend program"],
  ["fs", "let x = 1"],
  ["groovy", "def x = 'a'"],
  ["hbs", "{{#if a}}x{{/if}}"],
  ["hs", 'main = putStrLn "x"'],
  ["http", "GET / HTTP/1.1\nHost: a"],
  ["jinja", "{% if a %}x{% endif %}"],
  ["jl", "function f(x) x end"],
  ["jsonc", '{"a": 1}'],
  ["latex", "\\begin{document}"],
  ["less", "@a: 1px;"],
  ["lisp", "(defun f (x) 1)"],
  ["lua", "local x = 1"],
  ["matlab", "function y = f(x)\nend"],
  ["nginx", "server { listen 80; }"],
  ["nix", "{ a = 1; }"],
  ["objc", "@interface A\n@end"],
  ["ml", "let x = 1"],
  ["pascal", "begin end."],
  ["pl", "my $x = 1;"],
  ["ps1", "Get-Item $x"],
  ["properties", "a=1"],
  ["proto", 'syntax = "proto3";'],
  ["r", "x <- function() 1"],
  ["scala", "object A { val x = 1 }"],
  ["scm", "(define (f x) 1)"],
  ["scss", "$a: 1px;"],
  ["psql", "select 1 from a;"],
  ["tcl", "set x 1"],
  ["verilog", "module a; endmodule"],
  ["vhdl", "entity a is end a;"],
  ["vim", "set number"],
  ["vue", "<template><b>x</b></template>"],
  ["wasm", "(module)"],
  ["asm", "mov eax, 1"],
])("%s has colours", async (name, code) => {
  const language = languageOf(name);
  expect(language).not.toBe(null);
  const root = await highlight(code, language ?? "");
  expect(root?.children.some((child) => child.type === "element")).toBe(true);
});

test("files without an ending are known by their names", () => {
  expect(languageOfPath("a/Dockerfile.dev")).toBe("dockerfile");
  expect(languageOfPath("CMakeLists.txt")).toBe("cmake");
  expect(languageOfPath("Gemfile")).toBe("ruby");
  expect(languageOfPath("notes.txt")).toBe(null);
});
