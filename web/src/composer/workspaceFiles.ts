/** The files `@` can name: those of the chat's workspace. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Suggestion } from "./suggest.ts";

const NONE: Suggestion[] = [];
const DEPTH = 6;

export function useWorkspaceFiles(workspace: string | undefined): Suggestion[] {
  const { data } = useQuery({
    queryKey: ["files", workspace],
    queryFn: () =>
      api.get(`/workspaces/${workspace}/files`, {
        path: ".",
        depth: DEPTH,
      }),
    enabled: workspace !== undefined,
    staleTime: 10_000,
    retry: false,
    select: ({ entries }) =>
      entries
        .filter((entry) => entry.kind !== "directory")
        .map((entry) => ({ value: entry.path.replace(/^\.\//, "") })),
  });
  return data ?? NONE;
}
