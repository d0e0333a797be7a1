/** Which models of a provider can be chosen. Pure. */

import type { CatalogEntry } from "../api/types.ts";

/** A model that can be chosen: by its name, with what is known of it. */
export type Choice = Pick<CatalogEntry, "id"> & Partial<CatalogEntry>;

/** What the provider itself lists, with what the catalog knows of it; without a list, the catalog of its dialect. */
export function choices(
  catalog: readonly CatalogEntry[],
  names: readonly string[],
  dialect: string,
): Choice[] {
  if (names.length === 0) return catalog.filter((entry) => entry.dialect === dialect);
  const known = new Map(catalog.map((entry) => [entry.id, entry]));
  const listed = names.map((id): Choice => known.get(id) ?? { id });
  return [...listed.filter((entry) => entry.dialect), ...listed.filter((entry) => !entry.dialect)];
}
