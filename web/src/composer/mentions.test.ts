import { expect, test } from "vitest";
import { mentioned, nameAsWord } from "./mentions.ts";

const people = [
  { id: "1", name: "Ada Lovelace", email: "ada@example.com", role: "owner" },
  { id: "2", name: "will", email: "will@example.com", role: "write" },
  { id: "3", name: "Zoë.", email: "zoe@example.com", role: "read" },
];

test("a name is one word", () => {
  expect(nameAsWord(" Ada  Lovelace ")).toBe("Ada.Lovelace");
});

test("whoever is named by name is meant, and nobody else", () => {
  expect(mentioned("Look, @ada.lovelace. And @Will, too; @zoë!", people)).toEqual(["1", "2", "3"]);
  expect(mentioned("@ada @willy mail@will.example", people)).toBeUndefined();
});
