/** Calls that read, write, list and search files. */

import { FileText, FolderTree, Search, SquarePen } from "lucide-react";
import { textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { languageOfPath } from "../markdown/highlight.ts";
import { Output } from "./Output.tsx";
import { type Fields, outputOf, type Renderer, tense } from "./renderer.ts";

function linesOf(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** Numbered lines as the tool gives them, without the numbers' padding getting in the way of colours. */
export const readFile: Renderer = {
  icon: FileText,
  line: (fields, call) => ({
    verb: tense(call, t("Reading"), t("Read")),
    object: textField(fields, "path"),
    note: fields.offset ? t("from line {offset}", { offset: Number(fields.offset) }) : undefined,
  }),
  Body: ({ call, fields }) => (
    <Output text={outputOf(call)} language={languageOfPath(textField(fields, "path"))} />
  ),
};

export const writeFile: Renderer = {
  icon: SquarePen,
  line: (fields, call) => ({
    verb: tense(call, t("Writing"), t("Wrote"), t("Wants to write")),
    object: textField(fields, "path"),
    note: t("{count, plural, one {# line} other {# lines}}", {
      count: linesOf(textField(fields, "content")),
    }),
  }),
  Body: ({ call, fields }) => (
    <>
      <Output
        text={textField(fields, "content")}
        language={languageOfPath(textField(fields, "path"))}
        live={call.state.phase === "writing"}
      />
      {call.state.phase === "failed" && <p className="call-failed">{call.state.reason}</p>}
    </>
  ),
};

/** The folder, unless it is the workspace itself. */
function named(fields: Fields): string {
  return textField(fields, "path").replace(/^\.?\/?$/, "");
}

export const listFiles: Renderer = {
  icon: FolderTree,
  line: (fields, call) => ({
    verb: named(fields)
      ? tense(call, t("Listing"), t("Listed"))
      : tense(call, t("Listing the workspace"), t("Listed the workspace")),
    object: named(fields),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const searchFiles: Renderer = {
  icon: Search,
  line: (fields, call) => ({
    verb: tense(call, t("Searching for"), t("Searched for")),
    object: textField(fields, "pattern"),
    note: [textField(fields, "path"), textField(fields, "glob")].filter(Boolean).join(" "),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
