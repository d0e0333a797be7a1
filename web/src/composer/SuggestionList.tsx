import { t } from "../language/catalogue.ts";
import type { Suggestion } from "./suggest.ts";

interface Props {
  kind: "command" | "file";
  offered: readonly Suggestion[];
  chosen: number;
  onTake: (suggestion: Suggestion) => void;
}

/** The list may be longer than it is high. */
function reveal(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}

export function SuggestionList({ kind, offered, chosen, onTake }: Props) {
  return (
    <div
      className="suggestions"
      id="suggestions"
      role="listbox"
      aria-label={kind === "command" ? t("Commands") : t("Files")}
    >
      {offered.map((entry, at) => (
        <button
          key={entry.value}
          id={`suggestion-${at}`}
          ref={at === chosen ? reveal : undefined}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          className="menu-item"
          // Before the box loses its focus, which would close the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onTake(entry);
          }}
        >
          <span className={kind === "file" ? "mono truncate" : "truncate"}>
            {kind === "command" ? "/" : ""}
            {entry.value}
          </span>
          {entry.hint && <span className="hint truncate">{entry.hint}</span>}
        </button>
      ))}
    </div>
  );
}
