/** A unified diff, file by file. */

import { useMemo } from "react";
import { t } from "../language/catalogue.ts";
import { DiffFileView, type DiffMode } from "./DiffFileView.tsx";
import { DiffTree } from "./DiffTree.tsx";
import { parseDiff } from "./parse.ts";
import { useViewed } from "./viewed.ts";

interface Props {
  text: string;
  mode?: DiffMode;
  wrap?: boolean;
  /** Whose changes they are: what was viewed of them is kept. Without it, nothing is marked. */
  place?: string;
  onComment?: (file: string, line: number, content: string, comment: string) => void;
}

export default function Diff({ text, mode = "unified", wrap = false, place, onComment }: Props) {
  const files = useMemo(() => parseDiff(text), [text]);
  const viewed = useViewed(place ?? "");
  if (files.length === 0) return <p className="quiet">{t("Nothing changed.")}</p>;
  return (
    <div className={`diff ${wrap ? "diff-wrap" : ""}`}>
      {place && files.length > 1 && <DiffTree files={files} />}
      {files.map((file, at) => (
        <DiffFileView
          key={`${at}${file.path}`}
          file={file}
          mode={mode}
          viewed={place ? viewed.has(file) : undefined}
          onViewed={(seen) => viewed.mark(file, seen)}
          onComment={onComment}
        />
      ))}
    </div>
  );
}
