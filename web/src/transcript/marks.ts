/** Marks on what was looked for, over whatever is drawn: no row knows of them. */

import { type RefObject, useEffect } from "react";

const ALL = "found";
const HERE = "found-here";

/** Mark every place that fits in the rows that are drawn, as they come and go; those of one row more than others. */
export function useMarks(
  scroller: RefObject<HTMLElement | null>,
  pattern: RegExp | null,
  here: string | null,
) {
  useEffect(() => {
    const element = scroller.current;
    if (!element || !pattern || !CSS.highlights) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      const rows = [...element.querySelectorAll<HTMLElement>(".row")];
      const chosen = rows.filter((row) => row.dataset.key === here);
      put(
        ALL,
        rows.filter((row) => row.dataset.key !== here).flatMap((row) => rangesIn(row, pattern)),
      );
      put(
        HERE,
        chosen.flatMap((row) => rangesIn(row, pattern)),
      );
    };
    const later = () => {
      frame ||= requestAnimationFrame(mark);
    };
    const changes = new MutationObserver(later);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(ALL);
      CSS.highlights.delete(HERE);
    };
  }, [scroller, pattern, here]);
}

function put(name: string, ranges: Range[]): void {
  CSS.highlights.set(name, new Highlight(...ranges));
}

/** Where a text fits in an element, also across the pieces that it is drawn in. */
export function rangesIn(element: HTMLElement, pattern: RegExp): Range[] {
  const nodes: Text[] = [];
  const starts: number[] = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    starts.push(text.length);
    nodes.push(node as Text);
    text += (node as Text).data;
  }
  const set = (at: number, isEnd: boolean): [Text, number] => {
    const index = starts.findLastIndex((start) => (isEnd ? start < at : start <= at));
    return [nodes[index] as Text, at - (starts[index] ?? 0)];
  };
  return [...text.matchAll(pattern)]
    .filter((match) => match[0])
    .map((match) => {
      const range = new Range();
      range.setStart(...set(match.index, false));
      range.setEnd(...set(match.index + match[0].length, true));
      return range;
    });
}
