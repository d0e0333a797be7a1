/** Which components stand on a page: React keeps them beside what it draws. */

interface Fiber {
  type: unknown;
  /** Of the first of all: which of the two trees that React keeps is the one that is shown. */
  stateNode: { current: Fiber } | null;
  child: Fiber | null;
  sibling: Fiber | null;
}

/** Add every component that is drawn in a place to those that were drawn before. */
export function drawnIn(place: HTMLElement, drawn: Set<unknown>): void {
  const name = Object.keys(place).find((key) => key.startsWith("__reactContainer$"));
  const root = name ? (place as unknown as Record<string, Fiber>)[name] : undefined;
  const open: (Fiber | null)[] = [root?.stateNode?.current ?? null];
  for (let fiber = open.pop(); fiber !== undefined; fiber = open.pop()) {
    if (!fiber) continue;
    drawn.add(fiber.type);
    open.push(fiber.sibling, fiber.child);
  }
}
