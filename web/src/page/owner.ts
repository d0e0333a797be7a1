/** Whose browser this is: what one person typed and did not send is not for the next one who signs in. */

const OWNER = "owner";
const TYPED = /^(draft|send):|^beginning$/;

export function claim(storage: Storage, user: string): void {
  const before = storage.getItem(OWNER);
  if (before === user) return;
  if (before !== null) for (const name of namesIn(storage)) if (TYPED.test(name)) storage.removeItem(name);
  storage.setItem(OWNER, user);
}

function namesIn(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
}
