/** Text that is being edited elsewhere than in the composer: the box may go, what was typed into it stays. */

import { useCallback, useState } from "react";
import { EMPTY_DRAFT } from "./drafts.ts";
import { useStores } from "./stores.ts";

export interface KeptText {
  text: string;
  setText: (text: string) => void;
  /** It is saved, or not wanted any more. */
  forget: () => void;
  /** Nothing was typed into it before. */
  fresh: boolean;
}

export function useKeptText(place: string, initial: string): KeptText {
  const { drafts } = useStores();
  const [fresh] = useState(() => drafts.get(place).text === "");
  const [text, setText] = useState(() => drafts.get(place).text || initial);
  return {
    text,
    fresh,
    setText: (next) => {
      setText(next);
      drafts.change(place, (draft) => ({ ...draft, text: next }));
    },
    forget: useCallback(() => drafts.change(place, () => EMPTY_DRAFT), [drafts, place]),
  };
}

/** Whether something is being edited there: at first, when something was left of it. */
export function useEditing(place: string): [boolean, (editing: boolean) => void] {
  const { drafts } = useStores();
  return useState(() => drafts.get(place).text !== "");
}
