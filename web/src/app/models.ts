/** The models a chat may use. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Model } from "../api/types.ts";

const NONE: Model[] = [];

export function useModels(): Model[] {
  const { data } = useQuery({
    queryKey: ["models"],
    queryFn: async () => listOf(await api.get<Model[] | { items: Model[] }>("/models")),
    staleTime: 30_000,
  });
  return data ?? NONE;
}

export function listOf<Item>(answer: Item[] | { items: Item[] }): Item[] {
  return Array.isArray(answer) ? answer : answer.items;
}
