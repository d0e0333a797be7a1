import { useQuery } from "@tanstack/react-query";
import { ChevronRight, File, Folder, Link2 } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Answer } from "../api/operations.ts";
import { t } from "../language/catalogue.ts";
import { bytes } from "../ui/format.ts";

type Entry = Answer<"get", "/workspaces/{workspace_id}/files">["entries"][number];

interface Props {
  workspace: string;
  folder: string;
  onOpen: (path: string) => void;
}

/** What is in a folder. Folders within it are looked into when they are opened. */
export function FileTree({ workspace, folder, onOpen }: Props) {
  const { data, error } = useQuery({
    queryKey: ["folder", workspace, folder],
    queryFn: () => api.get(`/workspaces/${workspace}/files`, { path: folder, depth: 1 }),
    retry: false,
  });
  if (error) return <p className="quiet panel-note">{error.message}</p>;
  if (!data) return null;
  if (data.entries.length === 0)
    return (
      <p className="quiet panel-note">{folder === "." ? t("No files yet. Drop some here.") : t("Empty")}</p>
    );
  const sorted = data.entries.toSorted((one, other) => rank(one) - rank(other));
  return (
    <ul className="file-tree">
      {sorted.map((entry) => (
        <EntryRow
          key={entry.path}
          workspace={workspace}
          entry={entry}
          path={folder === "." ? entry.path : `${folder}/${entry.path}`}
          onOpen={onOpen}
        />
      ))}
      {!data.complete && <li className="quiet small panel-note">{t("Not all files are listed.")}</li>}
    </ul>
  );
}

/** Folders first; the server gives both by name. */
function rank(entry: Entry): number {
  return entry.kind === "directory" ? 0 : 1;
}

interface RowProps {
  workspace: string;
  entry: Entry;
  path: string;
  onOpen: (path: string) => void;
}

function EntryRow({ workspace, entry, path, onOpen }: RowProps) {
  const [open, setOpen] = useState(false);
  const folder = entry.kind === "directory";
  const Icon = folder ? Folder : entry.kind === "link" ? Link2 : File;
  return (
    <li>
      <button
        type="button"
        className="file-line"
        aria-expanded={folder ? open : undefined}
        onClick={() => (folder ? setOpen(!open) : onOpen(path))}
      >
        {folder ? <ChevronRight className="file-chevron" aria-hidden /> : <span className="file-chevron" />}
        <Icon aria-hidden />
        <span className="truncate grow">{entry.path}</span>
        {entry.target && <span className="quiet small truncate">→ {entry.target}</span>}
        {entry.kind === "file" && <span className="quiet small">{bytes(entry.bytes ?? 0)}</span>}
      </button>
      {open && <FileTree workspace={workspace} folder={path} onOpen={onOpen} />}
    </li>
  );
}
