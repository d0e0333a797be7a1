import { MessageSquarePlus } from "lucide-react";
import { useState } from "react";
import { t } from "../language/catalogue.ts";
import { nodes } from "../markdown/Colored.tsx";
import { Button } from "../ui/Button.tsx";
import type { Painted } from "./colors.ts";
import type { DiffLine } from "./parse.ts";

export interface RowProps {
  left: DiffLine | null;
  right: DiffLine | null;
  mode: "unified" | "split";
  painted: Painted | null;
  onComment?: (line: number, content: string, comment: string) => void;
}

/** One line of a diff, or one pair of them, with room for a comment beneath. */
export function DiffRow({ left, right, mode, painted, onComment }: RowProps) {
  const [commenting, setCommenting] = useState(false);
  const line = right ?? left;
  const number = right?.after ?? left?.before ?? 0;
  const mark = onComment && (
    <button
      type="button"
      className="diff-comment"
      aria-label={t("Comment on line {number}", { number })}
      onClick={() => setCommenting(true)}
    >
      <MessageSquarePlus aria-hidden />
    </button>
  );
  return (
    <>
      {mode === "unified" ? (
        <tr className={`diff-${line?.kind}`}>
          <td className="diff-number">{left?.before}</td>
          <td className="diff-number">
            {right?.after}
            {mark}
          </td>
          <Code line={line} painted={painted} />
        </tr>
      ) : (
        <tr>
          <td className={`diff-number diff-${left?.kind ?? "none"}`}>{left?.before}</td>
          <Code line={left} painted={painted} />
          <td className={`diff-number diff-${right?.kind ?? "none"}`}>
            {right?.after}
            {mark}
          </td>
          <Code line={right} painted={painted} />
        </tr>
      )}
      {commenting && onComment && (
        <tr>
          <td colSpan={mode === "split" ? 4 : 3}>
            <CommentBox
              onCancel={() => setCommenting(false)}
              onAdd={(text) => {
                onComment(number, line?.text ?? "", text);
                setCommenting(false);
              }}
            />
          </td>
        </tr>
      )}
    </>
  );
}

function Code({ line, painted }: { line: DiffLine | null; painted: Painted | null }) {
  const content = line && painted?.get(line);
  return (
    <td className={`diff-code diff-${line?.kind ?? "none"}`}>{content ? nodes(content) : line?.text}</td>
  );
}

function CommentBox({ onAdd, onCancel }: { onAdd: (text: string) => void; onCancel: () => void }) {
  const [text, setText] = useState("");
  return (
    <div className="diff-box">
      <textarea
        className="input"
        rows={2}
        aria-label={t("Comment")}
        placeholder={t("Comment on this line. Added to your next message.")}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to write
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onCancel()}
      />
      <div className="spread">
        <Button small look="primary" disabled={!text.trim()} onClick={() => onAdd(text.trim())}>
          {t("Add comment")}
        </Button>
        <Button small look="ghost" onClick={onCancel}>
          {t("Cancel")}
        </Button>
      </div>
    </div>
  );
}
