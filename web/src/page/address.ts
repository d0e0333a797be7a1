/** The fields of an address after its question mark. */

/** The search with some fields set, or left out where they are null; as it is put behind a path. */
export function withFields(search: string, changes: Record<string, string | number | null>): string {
  const fields = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) fields.delete(name);
    else fields.set(name, String(value));
  }
  return fields.size > 0 ? `?${fields}` : "";
}
