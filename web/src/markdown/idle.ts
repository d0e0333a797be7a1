/** Work that can wait until a frame has time for it: colours do not make anybody wait for words. */

const LATEST_MS = 400;

/** Calls `work` soon. The returned function takes that back. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(work, 1);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(handle);
}
