/** Files that are dropped anywhere on the page. */

import { useEffect, useRef, useState } from "react";

const bringsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Whether somebody holds files over the page. Whoever else takes them says so by preventing the event. */
export function useDroppedFiles(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (!bringsFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Out of the window; between two elements there is always another one.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!bringsFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", hold);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", hold);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return over;
}
