import { SquarePen } from "lucide-react";
import { lazy, Suspense } from "react";
import { argumentsOf, type Call, structured, textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { type FileEdits, sketch } from "./edits.ts";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

const Diff = lazy(() => import("../diff/Diff.tsx"));

function editsOf(call: Call): FileEdits[] {
  const files = argumentsOf(call.part.args).files;
  return Array.isArray(files) ? (files as FileEdits[]) : [];
}

/** The diff the tool gave, found in its structured or plain answer. */
function diffOf(call: Call): string {
  const output = outputOf(call);
  const fields = structured(output);
  const diff = fields && (fields.diff ?? fields.diffs);
  if (typeof diff === "string") return diff;
  if (Array.isArray(diff)) return diff.map(String).join("\n");
  return /^(diff --git|--- )/m.test(output) ? output.slice(output.search(/^(diff --git|--- )/m)) : "";
}

function counts(diff: string): { added: number; removed: number } {
  const lines = diff.split("\n");
  return {
    added: lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length,
    removed: lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length,
  };
}

export const editFiles: Renderer = {
  icon: SquarePen,
  line: (fields, call) => {
    const files = editsOf(call);
    const verb = tense(call, t("Editing"), t("Edited"), t("Wants to edit"));
    if (files.length === 0) return { verb, object: textField(fields, "path") || undefined };
    const { added, removed } = counts(diffOf(call) || sketch(files));
    const note = (
      <>
        <span className="added">+{added}</span> <span className="removed">−{removed}</span>
      </>
    );
    return {
      verb,
      object:
        files.length === 1
          ? files[0]?.path
          : t("{count, plural, one {# file} other {# files}}", { count: files.length }),
      note,
    };
  },
  Body: ({ call }) => {
    if (call.state.phase === "failed") return <p className="call-failed">{call.state.reason}</p>;
    const diff = diffOf(call) || sketch(editsOf(call));
    return (
      <Suspense fallback={<Output text={diff} />}>
        <Diff text={diff} />
      </Suspense>
    );
  },
};
