import { useContext, useLayoutEffect, useRef } from "react";
import { RowContext, useOpen } from "../chat/network/opened.ts";
import { t } from "../language/catalogue.ts";
import { Colored } from "../markdown/Colored.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { number } from "../ui/format.ts";

const SHOWN_LINES = 60;
const SHOWN_CHARACTERS = 12_000;
/** More than this stays off the page, which it would make slow: whoever wants it copies it. */
const MOST_CHARACTERS = 300_000;
const NEAR_PX = 24;

interface Props {
  text: string;
  language?: string | null;
  live?: boolean;
  /** Where what matters stands: at the end of what a command printed, at the beginning of a file. */
  end?: boolean;
  label?: string;
}

/** What a tool printed: its tail while it runs; then its head, or its end, with a way to the rest. */
export function Output({ text, language = null, live = false, end = false, label = t("Output") }: Props) {
  const row = useContext(RowContext);
  const [whole, setWhole] = useOpen(row && `${row} ${label}`);
  const tail = live || end;
  const box = useTail(text, tail && !whole);
  if (!text) return null;
  const shown = whole ? text.slice(0, MOST_CHARACTERS) : partOf(text, tail);
  const lines = text.split("\n").length;
  const size =
    lines > SHOWN_LINES
      ? t("{count, plural, one {# line} other {# lines}}", { count: lines })
      : t("{count, plural, one {# character} other {# characters}}", { count: text.length });
  const more = !whole && !live && shown.length < text.length && (
    <button type="button" className="output-more" onClick={() => setWhole(true)}>
      {text.length > MOST_CHARACTERS ? t("Show more of {size}", { size }) : t("Show all {size}", { size })}
    </button>
  );
  return (
    <div className="output" data-end={tail}>
      {tail && more}
      <div className="output-copy">
        <CopyButton text={() => text} label={t("Copy: {label}", { label })} />
      </div>
      <pre ref={box.ref} tabIndex={0} aria-label={label} onScroll={box.onScroll}>
        <Colored code={shown} language={live ? null : language} />
      </pre>
      {!tail && more}
      {whole && shown.length < text.length && (
        <p className="output-more">
          {t("The first {part} of {count} characters. Copy includes all of them.", {
            part: number(MOST_CHARACTERS),
            count: number(text.length),
          })}
        </p>
      )}
    </div>
  );
}

/** Keep the end of a box in sight, unless its reader scrolled up. */
function useTail(text: string, follows: boolean) {
  const ref = useRef<HTMLPreElement>(null);
  const left = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more text is what moves the end
  useLayoutEffect(() => {
    const box = ref.current;
    if (box && follows && !left.current) box.scrollTop = box.scrollHeight;
  }, [text, follows]);
  const onScroll = () => {
    const box = ref.current;
    if (box) left.current = box.scrollHeight - box.clientHeight - box.scrollTop > NEAR_PX;
  };
  return { ref, onScroll };
}

/** The head of what was printed, or its tail. */
function partOf(text: string, tail: boolean): string {
  const lines = text.split("\n");
  const part = (tail ? lines.slice(-SHOWN_LINES) : lines.slice(0, SHOWN_LINES)).join("\n");
  return tail ? part.slice(-SHOWN_CHARACTERS) : part.slice(0, SHOWN_CHARACTERS);
}
