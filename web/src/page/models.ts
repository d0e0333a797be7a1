/** The models a chat may use. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Model } from "../api/types.ts";

const NONE: Model[] = [];

export function useModels(): Model[] {
  const { data } = useQuery({
    queryKey: ["models"],
    queryFn: async () => (await api.get("/models")).items,
    staleTime: 30_000,
  });
  return data ?? NONE;
}
