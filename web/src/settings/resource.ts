/** A list on the server that can be read, added to, changed and shortened. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { listOf } from "../app/models.ts";
import type { Values } from "./values.ts";

export interface Resource<Item> {
  items: Item[];
  error: Error | null;
  loading: boolean;
  create: (values: Values) => Promise<Item>;
  update: (id: string, values: Values) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}

export function useResource<Item>(path: string): Resource<Item> {
  const client = useQueryClient();
  const { data, error, isLoading } = useQuery({
    queryKey: ["resource", path],
    queryFn: async () => listOf(await api.get<Item[] | { items: Item[] }>(path)),
    retry: false,
  });
  const then = async <Answer>(work: Promise<Answer>): Promise<Answer> => {
    const answer = await work;
    await client.invalidateQueries();
    return answer;
  };
  const one = (id: string) => `${path}/${encodeURIComponent(id)}`;
  return {
    items: data ?? [],
    error,
    loading: isLoading,
    create: (values) => then(api.post<Item>(path, values)),
    update: (id, values) => then(api.patch(one(id), values)),
    remove: (id) => then(api.delete(one(id))),
  };
}
