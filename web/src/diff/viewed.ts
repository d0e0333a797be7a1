/** Which changed files somebody has looked at. A file that changes again is to be looked at again. */

import { useStored } from "../page/stored.ts";
import type { DiffFile } from "./parse.ts";

export interface Viewed {
  has: (file: DiffFile) => boolean;
  mark: (file: DiffFile, viewed: boolean) => void;
}

export function useViewed(place: string): Viewed {
  const [kept, setKept] = useStored<Record<string, number>>(`viewed:${place}`, {});
  return {
    has: (file) => kept[file.path] === printOf(file),
    mark: (file, viewed) => {
      const { [file.path]: _, ...others } = kept;
      setKept(viewed ? { ...others, [file.path]: printOf(file) } : others);
    },
  };
}

/** A number that is another one when the change is. */
export function printOf(file: DiffFile): number {
  let print = 0;
  const text = file.hunks.flatMap((hunk) => hunk.lines.map((line) => line.kind + line.text)).join("\n");
  for (let at = 0; at < text.length; at++) print = (Math.imul(print, 31) + text.charCodeAt(at)) | 0;
  return print;
}
