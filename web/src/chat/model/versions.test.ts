import { expect, test } from "vitest";
import type { Branch, Message } from "../../api/types.ts";
import { gaps, historyUntil, known, NOW } from "./versions.ts";

const said = (number: number, role: "user" | "assistant" = "user"): Message => ({
  number,
  role,
  revision: number,
  created_at: "",
  parts: [{ type: "text", text: String(number) }],
});
const answer = (number: number) => said(number, "assistant");
const cut = (snapshot: number, ...messages: Message[]): Branch => ({
  snapshot,
  after: (messages[0]?.number ?? 1) - 1,
  messages,
});

// 1 2 | 3 4 were said; 3 was edited into 5, then 1 into 7, then 7 into 9.
const MESSAGES = [said(9), answer(10)];
const BRANCHES = [
  cut(30, said(7), answer(8)),
  cut(20, said(1), answer(2), said(5), answer(6)),
  cut(10, said(3), answer(4)),
];
const ALL = known(MESSAGES, BRANCHES);

test("a message has the versions that it took the place of, oldest first", () => {
  const versions = [
    { number: 1, until: 20 },
    { number: 7, until: 30 },
    { number: 9, until: NOW },
  ];
  expect(ALL.versions.get(9)).toEqual(versions);
  expect(ALL.versions.get(1)).toEqual(versions);
});

test("a version inside an older version is one of its place, not of the first message", () => {
  expect(ALL.versions.get(5)).toEqual([
    { number: 3, until: 10 },
    { number: 5, until: 20 },
  ]);
});

test("the history with a version is what came before it and what followed", () => {
  const numbers = (until: number) => historyUntil(ALL, until).map((message) => message.number);
  expect(numbers(10)).toEqual([1, 2, 3, 4]);
  expect(numbers(20)).toEqual([1, 2, 5, 6]);
  expect(numbers(30)).toEqual([7, 8]);
  expect(numbers(NOW)).toEqual([9, 10]);
});

test("what is not held yet does not lend its versions to the first message that is", () => {
  // 1 and 2 were edited into 3; 5 into 7. Only 7 is held.
  const all = known([said(7)], [cut(20, said(5), answer(6)), cut(10, said(1), answer(2))]);
  expect(all.versions.get(7)?.map((version) => version.number)).toEqual([5, 7]);
});

test("a message that nothing was hidden before has one version", () => {
  const all = known([said(1), answer(2), said(3), said(6)], [cut(10, said(4), answer(5))]);
  expect(all.versions.get(3)).toEqual([{ number: 3, until: NOW }]);
  expect(gaps([said(1), answer(2), said(3), said(6)])).toEqual([6]);
});
