/** A scroller that follows its end while the reader is there and it goes on, and leaves the reader alone otherwise. */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 40;

export function useStickToEnd(scroller: RefObject<HTMLElement | null>, goesOn: boolean) {
  const stuck = useRef(true);
  const following = useRef(goesOn);
  following.current = goesOn;
  const last = useRef(0);
  const [away, setAway] = useState(false);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    stuck.current = true;
    // Other rows may be there in a moment, and fewer: that is no scrolling up.
    last.current = 0;
    element.scrollTop = element.scrollHeight;
  }, [scroller]);

  // What does not go on may have been left for the end.
  useLayoutEffect(() => {
    if (goesOn && stuck.current) toEnd();
  }, [goesOn, toEnd]);

  const leaveEnd = useCallback(() => {
    stuck.current = false;
  }, []);
  const isAtEnd = useCallback(() => stuck.current, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
    if (!following.current) return setAway(false);
    if (distance < NEAR_PX) stuck.current = true;
    // Only the reader scrolls up; growing content never does.
    else if (element.scrollTop < last.current - 1) stuck.current = false;
    last.current = element.scrollTop;
    setAway(!stuck.current && distance > element.clientHeight / 2);
  }, [scroller]);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    const [list, phase] = content?.children ?? [];
    if (!element || !list || !phase) return;
    const follow = () => {
      if (stuck.current && following.current) element.scrollTop = element.scrollHeight;
    };
    // The list writes its height while sizes are being observed. Observing the content's size then would come too late
    // for the frame, and browsers report that as an error; what was written is known at once.
    const growth = new MutationObserver(follow);
    growth.observe(list, { attributes: true, attributeFilter: ["style"] });
    growth.observe(phase, { childList: true, subtree: true, characterData: true });
    const size = new ResizeObserver(follow);
    size.observe(element);
    // What was written may be laid out only with the next frame. Following then is no change of what is being observed.
    const laidOut = new ResizeObserver(() => requestAnimationFrame(follow));
    laidOut.observe(list);
    follow();
    return () => {
      growth.disconnect();
      size.disconnect();
      laidOut.disconnect();
    };
  }, [scroller]);

  return { away, toEnd, leaveEnd, isAtEnd, onScroll };
}
