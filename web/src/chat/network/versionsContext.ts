/** Which version of the conversation is shown, for whoever has to know. */

import { createContext, useContext } from "react";
import type { Message } from "../../api/types.ts";
import type { Version } from "../model/versions.ts";

export interface Versions {
  /** The messages of an earlier version; null while the conversation is shown as it is. */
  past: readonly Message[] | null;
  /** What was said in it anew, by number. */
  shown: number | null;
  /** The message that somebody just turned to. */
  arrived: number | null;
  /** What was said in the place of a message, itself among it; empty where it was never said anew. */
  of: (message: Message) => readonly Version[];
  show: (version: Version) => void;
  backToNow: () => void;
}

export const VersionsContext = createContext<Versions>({
  past: null,
  shown: null,
  arrived: null,
  of: () => [],
  show: () => {},
  backToNow: () => {},
});

export function useVersions(): Versions {
  return useContext(VersionsContext);
}
