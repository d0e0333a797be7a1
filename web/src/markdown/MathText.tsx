/** A formula. Built node by node, because a strict content-security policy drops style attributes in markup. */

import katex from "katex";
import "katex/dist/katex.min.css";
import { useLayoutEffect, useRef } from "react";

export default function MathText({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current)
      katex.render(tex, place.current, {
        displayMode: display,
        throwOnError: false,
        trust: false,
        maxExpand: 500,
      });
  }, [tex, display]);
  return <span ref={place} className={display ? "math math-display" : "math"} />;
}
