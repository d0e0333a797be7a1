/** The files `@` can name: those of the chat's workspace. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Suggestion } from "./suggest.ts";

interface Entry {
  path?: string;
  name?: string;
  type?: string;
  directory?: boolean;
}

const NONE: Suggestion[] = [];
const DEPTH = 6;

export function useWorkspaceFiles(workspace: string | undefined): Suggestion[] {
  const { data } = useQuery({
    queryKey: ["files", workspace],
    queryFn: () =>
      api.get<{ items?: Entry[]; entries?: Entry[] } | Entry[]>(`/workspaces/${workspace}/files`, {
        path: ".",
        depth: DEPTH,
      }),
    enabled: workspace !== undefined,
    staleTime: 10_000,
    retry: false,
    select: (answer) => {
      const entries = Array.isArray(answer) ? answer : (answer.items ?? answer.entries ?? []);
      return entries
        .filter((entry) => entry.type !== "directory" && !entry.directory)
        .map((entry) => ({ value: (entry.path ?? entry.name ?? "").replace(/^\.\//, "") }));
    },
  });
  return data ?? NONE;
}
