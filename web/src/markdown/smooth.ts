/** Text that arrives in bursts, shown at the rate it arrives. */

import { useEffect, useRef, useState } from "react";

/** Whatever the rate, the page is never further behind than this. */
const LAG_MS = 240;

/** Letters appear thirty times a second: more often is work that no eye sees. */
const STEP_MS = 30;

/** How many letters to show after `ms` more, given how many wait and how fast they come. */
export function nextShown(shown: number, total: number, ms: number, rate: number): number {
  const waiting = total - shown;
  return Math.min(total, shown + Math.max(1, Math.ceil(rate * ms), Math.ceil((waiting * ms) / LAG_MS)));
}

/** The part of a growing text to show now. Text that was there from the start shows at once. */
export function useSmooth(text: string, live: boolean): string {
  const [shown, setShown] = useState(text.length);
  const rate = useRef({ at: 0, length: text.length, perMs: 0.05 });
  const step = useRef(0);
  const still = !live || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;
  useEffect(() => {
    if (still || shown >= text.length) return;
    const now = performance.now();
    const last = rate.current;
    if (text.length > last.length) {
      const seen = (text.length - last.length) / Math.max(16, now - last.at);
      rate.current = { at: now, length: text.length, perMs: 0.8 * last.perMs + 0.2 * Math.min(seen, 5) };
    }
    const timer = setTimeout(
      () => {
        const ms = performance.now() - step.current;
        step.current = performance.now();
        setShown((before) =>
          wholeLetter(text, nextShown(before, text.length, Math.min(ms, LAG_MS), rate.current.perMs)),
        );
      },
      Math.max(0, step.current + STEP_MS - now),
    );
    return () => clearTimeout(timer);
  }, [text, shown, still]);
  return still || shown >= text.length ? text : text.slice(0, shown);
}

/** Never end between the two halves of one character. */
function wholeLetter(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end + 1 : end;
}
