import { Fragment, type ReactNode } from "react";

/** Stands for a value until its element takes its place: no text holds it. */
const MARK = "\u0000";

/** What to give a text for a value that is an element: `t("Run {command}.", hole("command"))`. */
export function hole(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${MARK}${name}${MARK}`]));
}

/** A text with elements in its holes, wherever its language puts them. */
export function Filled({ text, ...values }: { text: string } & Record<string, ReactNode>) {
  return text
    .split(MARK)
    .map((part, at) => <Fragment key={at}>{at % 2 === 1 ? values[part] : part}</Fragment>);
}
