/** Which forms hold something that is not saved. */

import { useEffect } from "react";

const unsaved = new Set<object>();

export function anyUnsaved(): boolean {
  return unsaved.size > 0;
}

/** While this is true, leaving the page asks first. */
export function useUnsaved(changed: boolean): void {
  useEffect(() => {
    if (!changed) return;
    const form = {};
    unsaved.add(form);
    return () => {
      unsaved.delete(form);
    };
  }, [changed]);
}
