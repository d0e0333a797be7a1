import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { t } from "../language/catalogue.ts";
import { usePainted } from "./colors.ts";
import { DiffRow, type RowProps } from "./DiffRow.tsx";
import { type DiffFile, type Hunk, paired } from "./parse.ts";
import "./diff.css";

export type DiffMode = "unified" | "split";

interface Props {
  file: DiffFile;
  mode: DiffMode;
  /** Whether somebody has looked at it; undefined where that is not kept. */
  viewed?: boolean;
  onViewed?: (viewed: boolean) => void;
  onComment?: (file: string, line: number, content: string, comment: string) => void;
}

/** More lines than this start folded, so that a generated file does not hide the others. */
const FOLD_OVER = 400;

export function DiffFileView({ file, mode, viewed, onViewed, onComment }: Props) {
  const [open, setOpen] = useState(!viewed && file.added + file.removed <= FOLD_OVER);
  const painted = usePainted(file);
  const comment =
    onComment && ((line: number, content: string, text: string) => onComment(file.path, line, content, text));
  const columns = mode === "split" ? 4 : 3;
  return (
    <section className="diff-file" aria-label={file.path} id={`diff-${file.path}`}>
      <div className="diff-bar">
        <button type="button" className="diff-head" aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronDown aria-hidden className="diff-chevron" />
          <span className="truncate mono grow">
            {renamed(file) && <span className="quiet">{file.was} → </span>}
            {file.path}
          </span>
          <span className="added">+{file.added}</span>
          <span className="removed">−{file.removed}</span>
        </button>
        {viewed !== undefined && (
          <label className="diff-viewed">
            <input
              type="checkbox"
              checked={viewed}
              onChange={(event) => {
                onViewed?.(event.target.checked);
                setOpen(!event.target.checked);
              }}
            />
            {t("Viewed")}
          </label>
        )}
      </div>
      {open && file.binary && <p className="quiet diff-note">{t("A binary file.")}</p>}
      {open && renamed(file) && !file.binary && file.hunks.length === 0 && (
        <p className="quiet diff-note">{t("Renamed without changes.")}</p>
      )}
      {open && file.hunks.length > 0 && (
        <section
          className="diff-scroll"
          tabIndex={0}
          aria-label={t("Changes in {path}", { path: file.path })}
        >
          <table className={`diff-table diff-${mode}`}>
            {file.hunks.map((hunk, at) => (
              <tbody key={at}>
                {at > 0 || hunk.heading ? (
                  <tr className="diff-hunk">
                    <td colSpan={columns}>{hunk.heading || "⋯"}</td>
                  </tr>
                ) : null}
                {rowsOf(hunk, mode).map((row, line) => (
                  <DiffRow key={line} {...row} painted={painted} onComment={comment} />
                ))}
              </tbody>
            ))}
          </table>
        </section>
      )}
    </section>
  );
}

function renamed(file: DiffFile): boolean {
  return file.was !== "" && file.was !== "/dev/null" && file.was !== file.path;
}

function rowsOf(hunk: Hunk, mode: DiffMode): Pick<RowProps, "left" | "right" | "mode">[] {
  if (mode === "split") return paired(hunk.lines).map((pair) => ({ ...pair, mode }));
  return hunk.lines.map((line) => ({ left: line, right: line, mode }));
}
