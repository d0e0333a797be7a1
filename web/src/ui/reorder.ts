/** Putting a list in another order, by dragging a handle or with the arrow keys on it. */

import { type KeyboardEvent, type PointerEvent, useState } from "react";

export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, items[from] as Item);
}

/** `onOrder` hears the final order; while dragging, `order` shows where things would go. */
export function useReorder<Id extends string | number>(ids: readonly Id[], onOrder: (order: Id[]) => void) {
  const [dragged, setDragged] = useState<{ id: Id; order: Id[] } | null>(null);
  const order = dragged?.order ?? ids;
  const handle = (id: Id) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragged({ id, order: [...ids] });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (dragged?.id !== id) return;
      const over = document
        .elementsFromPoint(event.clientX, event.clientY)
        .find((element) => element.closest("[data-reorder]"));
      const target = over?.closest<HTMLElement>("[data-reorder]")?.dataset.reorder;
      const to = dragged.order.findIndex((other) => String(other) === target);
      const from = dragged.order.indexOf(id);
      if (to >= 0 && to !== from) setDragged({ id, order: moved(dragged.order, from, to) });
    },
    // The browser took the pointer for a scroll: nothing was put anywhere.
    onPointerCancel: () => setDragged(null),
    onPointerUp: () => {
      if (dragged?.order.some((other, at) => other !== ids[at])) onOrder(dragged.order);
      setDragged(null);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const from = ids.indexOf(id);
      const to = from + by;
      if (to >= 0 && to < ids.length) onOrder(moved(ids, from, to));
    },
  });
  return { order, dragging: dragged?.id ?? null, handle };
}
