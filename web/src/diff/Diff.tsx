/** A unified diff, file by file. */

import { useMemo } from "react";
import { DiffFileView, type DiffMode } from "./DiffFileView.tsx";
import { parseDiff } from "./parse.ts";

interface Props {
  text: string;
  mode?: DiffMode;
  onComment?: (file: string, line: number, content: string, comment: string) => void;
}

export default function Diff({ text, mode = "unified", onComment }: Props) {
  const files = useMemo(() => parseDiff(text), [text]);
  if (files.length === 0) return <p className="quiet">Nothing changed.</p>;
  return (
    <div className="diff">
      {files.map((file, at) => (
        <DiffFileView key={`${at}${file.path}`} file={file} mode={mode} onComment={onComment} />
      ))}
    </div>
  );
}
