import { expect, test } from "vitest";
import { answerOf, programOf } from "./program.ts";

const ASKED = {
  response_type: "code",
  client_id: "eyJuYW1lIjoiQW4gZWRpdG9yIiwicmVkaXJlY3RzIjpbImh0dHA6Ly8xMjcuMC4wLjEvY2FsbGJhY2siXX0",
  redirect_uri: "http://127.0.0.1:8976/callback?from=here",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
  state: "s&s",
};
const of = (changes: Record<string, string> = {}) => programOf(new URLSearchParams({ ...ASKED, ...changes }));

test("a program is shown by its name and where it leads", () => {
  expect(of()).toMatchObject({ name: "An editor", host: "127.0.0.1:8976" });
});

test("what is not asked in the right way asks nothing", () => {
  const all: Record<string, string>[] = [
    { response_type: "token" },
    { code_challenge_method: "plain" },
    { code_challenge: "short" },
    { client_id: "?" },
    { redirect_uri: "nowhere" },
  ];
  for (const wrong of all) expect(of(wrong)).toBeNull();
  expect(programOf(new URLSearchParams())).toBeNull();
});

test("the answer goes back with what the program said", () => {
  const program = of();
  expect(program && answerOf(program, { code: "a+b" })).toBe(
    "http://127.0.0.1:8976/callback?from=here&code=a%2Bb&state=s%26s",
  );
});
