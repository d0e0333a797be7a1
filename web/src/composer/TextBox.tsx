/** The box one types into. Its text lives here and in the draft; the transcript never hears of a keystroke. */

import { type ClipboardEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useState } from "react";
import type { Busy } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { SuggestionList } from "./SuggestionList.tsx";
import { matching, replaced, type Suggestion, type Trigger, triggerAt } from "./suggest.ts";
import { fileOfPaste, isLongPaste } from "./uploads.ts";

interface Props {
  box: RefObject<HTMLTextAreaElement | null>;
  text: string;
  placeholder: string;
  onText: (text: string) => void;
  onFiles: (files: File[]) => void;
  onSend: (busy: Busy) => void;
  suggestions: { command: readonly Suggestion[]; file: readonly Suggestion[] };
  said: () => readonly string[];
}

/** Walking back through what was said: the list as it was when the walk began, and where in it. */
interface Recalled {
  said: readonly string[];
  at: number;
}

const TALLEST_PX = 320;

export function TextBox({ box, text, placeholder, onText, onFiles, onSend, suggestions, said }: Props) {
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const [chosen, setChosen] = useState(0);
  const [recalled, setRecalled] = useState<Recalled | null>(null);
  /** Text that was changed since is a message of its own. */
  const recalling = recalled?.said[recalled.at] === text ? recalled : null;
  const offered = trigger ? matching(suggestions[trigger.kind], trigger.query) : [];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(TALLEST_PX, element.scrollHeight)}px`;
  }, [text, box]);

  const look = () => {
    setTrigger(triggerAt(box.current?.value ?? "", box.current?.selectionStart ?? 0));
    setChosen(0);
  };
  const take = (suggestion: Suggestion) => {
    if (!trigger) return;
    const next = replaced(text, trigger, box.current?.selectionStart ?? text.length, suggestion.value);
    onText(next.text);
    setTrigger(null);
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const recall = (by: number): boolean => {
    const from = recalling ?? { said: said(), at: -1 };
    const at = from.at + by;
    if (at >= from.said.length) return false;
    setRecalled(at < 0 ? null : { ...from, at });
    onText(from.said[at] ?? "");
    return true;
  };
  const choose = (event: KeyboardEvent): boolean => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) setChosen((before) => (before + by + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offered[chosen] as Suggestion);
    else if (event.key === "Escape") setTrigger(null);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Keys with Alt move through the conversation; with Enter they send.
    if (event.nativeEvent.isComposing || (event.altKey && event.key !== "Enter")) return;
    let taken = false;
    // A word that is already whole has nothing to be completed: Enter sends it.
    const whole = event.key === "Enter" && offered[chosen]?.value === trigger?.query;
    if (offered.length > 0 && !whole) taken = choose(event);
    else if (event.key === "Enter" && !event.shiftKey) {
      const strong = event.metaKey || event.ctrlKey;
      onSend(strong ? (event.altKey ? "interrupt" : "steer") : "queue");
      setRecalled(null);
      setTrigger(null);
      taken = true;
    } else if (event.key === "ArrowUp" && (!text || recalling)) taken = recall(1);
    else if (event.key === "ArrowDown" && recalling) taken = recall(-1);
    if (taken) event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    const pasted = event.clipboardData.getData("text/plain");
    if (files.length === 0 && !isLongPaste(pasted)) return;
    event.preventDefault();
    onFiles(files.length > 0 ? files : [fileOfPaste(pasted)]);
  };
  return (
    <div className="text-box">
      {offered.length > 0 && (
        <SuggestionList kind={trigger?.kind ?? "file"} offered={offered} chosen={chosen} onTake={take} />
      )}
      <textarea
        ref={box}
        dir="auto"
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-label={t("Message")}
        aria-controls={offered.length > 0 ? "suggestions" : undefined}
        aria-activedescendant={offered.length > 0 ? `suggestion-${chosen}` : undefined}
        aria-autocomplete="list"
        onChange={(event) => {
          onText(event.target.value);
          look();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => setTrigger(null)}
      />
    </div>
  );
}
