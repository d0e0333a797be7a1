/** What takes the focus gives it back to where it was, once it is gone. */

import { type RefObject, useEffect, useRef, useState } from "react";

/** The browser would do so while the page behind is still out of reach, and nothing could be typed there. */
export function useReturnedFocus(): RefObject<boolean> {
  const [before] = useState(() => document.activeElement);
  /** Whether to give it back at all. */
  const wanted = useRef(true);
  useEffect(
    () => () => {
      const free = document.activeElement === document.body || document.activeElement === null;
      if (wanted.current && free && before instanceof HTMLElement) before.focus({ preventScroll: true });
    },
    [before],
  );
  return wanted;
}
