/** What a call would do, for somebody who decides about it: the command, the file, the edits, or its arguments. */

import { lazy, Suspense } from "react";
import { argumentsOf, textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { Filled, hole } from "../language/Filled.tsx";
import { languageOfPath } from "../markdown/highlight.ts";
import { type FileEdits, sketch } from "./edits.ts";
import { Output } from "./Output.tsx";
import type { Fields } from "./renderer.ts";
import "./tools.css";

const Diff = lazy(() => import("../diff/Diff.tsx"));

export function Proposed({ tool, args }: { tool: string; args: string }) {
  const fields = argumentsOf(args);
  if (tool === "execute") return <Command fields={fields} />;
  if (tool === "write_file") return <WrittenFile fields={fields} />;
  if (tool === "edit_files" && Array.isArray(fields.files)) return <Edits files={fields.files} />;
  return <Arguments fields={fields} />;
}

function Command({ fields }: { fields: Fields }) {
  const { command, ...rest } = fields;
  return (
    <>
      <Output text={String(command ?? "")} language="bash" label={t("Command")} />
      <Arguments fields={rest} />
    </>
  );
}

function WrittenFile({ fields }: { fields: Fields }) {
  const path = textField(fields, "path");
  const content = textField(fields, "content");
  return (
    <>
      <p className="proposed-path">
        <Filled text={t("Write {path}", hole("path"))} path={<code>{path}</code>} />
      </p>
      {content ? (
        <Output text={content} language={languageOfPath(path)} label={t("New content of {path}", { path })} />
      ) : (
        <p className="quiet">{t("An empty file.")}</p>
      )}
    </>
  );
}

function Edits({ files }: { files: FileEdits[] }) {
  const diff = sketch(files);
  return (
    <Suspense fallback={<Output text={diff} />}>
      <Diff text={diff} />
    </Suspense>
  );
}

/** Names and values as they are meant: text with its line breaks, lists as lists. */
function Arguments({ fields }: { fields: Fields }) {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  if (entries.length === 0) return null;
  return (
    <dl className="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: unknown }) {
  if (Array.isArray(value))
    return (
      <ul>
        {value.map((entry, at) => (
          <li key={at}>
            <Value value={entry} />
          </li>
        ))}
      </ul>
    );
  if (typeof value === "object" && value !== null) return <Arguments fields={value as Fields} />;
  return <span className="argument-text">{String(value)}</span>;
}
