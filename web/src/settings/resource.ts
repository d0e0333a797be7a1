/** A list on the server that can be read, added to, changed and shortened. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Answer, ItemOf, ListPath } from "../api/operations.ts";
import type { Values } from "./values.ts";

/** What the server says of something that was just made, which may be more than it ever says again. */
export type MadeAt<Path extends string> = Answer<"post", Path>;

export interface Kept<Item, Made> {
  items: Item[];
  error: Error | null;
  loading: boolean;
  create: (values: Values) => Promise<Made>;
  update: (id: string, values: Values) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}

export type Resource<Path extends string> = Kept<ItemOf<Path>, MadeAt<Path>>;

/** Lists look alike to whoever sends: one stands for all. What one of them does not take is refused. */
type Like = "/groups";

export function useResource<const Path extends ListPath>(path: Path): Resource<Path>;
export function useResource(path: Like): Kept<unknown, unknown> {
  const client = useQueryClient();
  const { data, error, isLoading } = useQuery({
    queryKey: ["resource", path],
    queryFn: async () => (await api.get(path)).items,
    retry: false,
  });
  const then = async <Told>(work: Promise<Told>): Promise<Told> => {
    const told = await work;
    await client.invalidateQueries();
    return told;
  };
  const one = (id: string) => `${path}/${encodeURIComponent(id)}` as const;
  return {
    items: data ?? [],
    error,
    loading: isLoading,
    create: (values) => then(api.post(path, values)),
    update: (id, values) => then(api.patch(one(id), values)),
    remove: (id) => then(api.delete(one(id))),
  };
}
