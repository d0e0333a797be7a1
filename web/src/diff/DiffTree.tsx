import { useMemo } from "react";
import { t } from "../language/catalogue.ts";
import type { DiffFile } from "./parse.ts";

/** The changed files by their folders; each leads to its changes. */
export function DiffTree({ files }: { files: readonly DiffFile[] }) {
  const folders = useMemo(() => byFolder(files), [files]);
  const open = (path: string) => document.getElementById(`diff-${path}`)?.scrollIntoView({ block: "start" });
  return (
    <nav className="diff-tree" aria-label={t("Changed files")}>
      {[...folders].toSorted().map(([folder, inside]) => (
        <div key={folder}>
          {folder && <p className="diff-tree-folder mono truncate">{folder}/</p>}
          {inside.map((file) => (
            <button key={file.path} type="button" className="diff-tree-line" onClick={() => open(file.path)}>
              <span className="truncate mono grow">{file.path.slice(folder ? folder.length + 1 : 0)}</span>
              <span className="added">+{file.added}</span>
              <span className="removed">−{file.removed}</span>
            </button>
          ))}
        </div>
      ))}
    </nav>
  );
}

function folderOf(file: DiffFile): string {
  return file.path.split("/").slice(0, -1).join("/");
}

function byFolder(files: readonly DiffFile[]): Map<string, DiffFile[]> {
  const folders = new Map<string, DiffFile[]>();
  for (const file of files) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), file]);
  return folders;
}
