/** One file of a workspace, as what it is: a picture, a text with its marks, a table, code. */

import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Code, Download, Eye } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { api, pathOf } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Colored } from "../markdown/Colored.tsx";
import { languageOfPath } from "../markdown/highlight.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { Button } from "../ui/Button.tsx";
import { bytes, number } from "../ui/format.ts";
import { tableOf } from "./table.ts";

const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};
/** More rows than this stay off the page, which they would make slow. */
const MOST_ROWS = 1_000;

type Kind = "picture" | "markdown" | "table" | "text";

function kindOf(ending: string): Kind {
  if (ending in PICTURES) return "picture";
  if (ending === "md" || ending === "markdown") return "markdown";
  return ending === "csv" || ending === "tsv" ? "table" : "text";
}

interface Props {
  workspace: string;
  path: string;
  onBack: () => void;
}

export function FileView({ workspace, path, onBack }: Props) {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  const kind = kindOf(ending);
  const [source, setSource] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["file", workspace, path],
    queryFn: () => api.bytes(`/workspaces/${workspace}/files/content`, { path }),
    retry: false,
  });
  const meant = kind === "markdown" || kind === "table";
  return (
    <div className="file-view">
      <div className="panel-bar">
        <Button look="ghost" small label={t("Back to the files")} onClick={onBack}>
          <ArrowLeft />
        </Button>
        <span className="mono truncate grow" title={path}>
          {path}
        </span>
        {data && <span className="quiet small">{bytes(data.length)}</span>}
        {meant && (
          <Button
            look="ghost"
            small
            label={source ? t("Preview") : t("Source")}
            onClick={() => setSource(!source)}
          >
            {source ? <Eye /> : <Code />}
          </Button>
        )}
        <a
          className="button button-ghost button-small button-icon"
          href={pathOf(`/workspaces/${workspace}/files/content`, { path, download: true })}
          download={path.split("/").at(-1)}
          aria-label={t("Download {path}", { path })}
          title={t("Download")}
        >
          <Download aria-hidden />
        </a>
      </div>
      {error && <p className="quiet panel-note">{error.message}</p>}
      {data && <Content content={data} path={path} kind={meant && source ? "text" : kind} ending={ending} />}
    </div>
  );
}

interface ContentProps {
  content: Uint8Array<ArrayBuffer>;
  path: string;
  kind: Kind;
  ending: string;
}

function Content({ content, path, kind, ending }: ContentProps) {
  const text = useMemo(() => textIn(content), [content]);
  if (kind === "picture") return <Picture content={content} name={path} type={PICTURES[ending] ?? ""} />;
  if (text === null) return <p className="quiet panel-note">{t("A binary file. It can be downloaded.")}</p>;
  if (text === "") return <p className="quiet panel-note">{t("The file is empty.")}</p>;
  if (kind === "markdown") return <Markdown text={text} />;
  if (kind === "table") return <Table rows={tableOf(text, ending === "tsv" ? "\t" : ",")} />;
  return (
    <pre className="file-text" tabIndex={0} aria-label={path}>
      <Colored code={text} language={languageOfPath(path)} />
    </pre>
  );
}

/** The text of a file, or null where it holds none. */
function textIn(content: Uint8Array): string | null {
  if (content.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

function Picture({ content, name, type }: { content: Uint8Array<ArrayBuffer>; name: string; type: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return address ? <img className="file-picture" src={address} alt={name} /> : null;
}

function Table({ rows }: { rows: string[][] }) {
  const [head = [], ...rest] = rows;
  return (
    <section className="file-table" tabIndex={0} aria-label={t("Table")}>
      <table className="table-plain">
        <thead>
          <tr>
            {head.map((value, at) => (
              <th key={at}>{value}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.slice(0, MOST_ROWS).map((row, line) => (
            <tr key={line}>
              {head.map((_, at) => (
                <td key={at}>{row[at]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length > MOST_ROWS && (
        <p className="quiet small">
          {t("The first {part} of {count} rows.", {
            part: number(MOST_ROWS),
            count: number(rest.length),
          })}
        </p>
      )}
    </section>
  );
}
