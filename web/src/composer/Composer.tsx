/** Where one speaks. Never disabled: whatever the chat does, what is typed is kept and can be sent. */

import { Paperclip } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Busy, Content } from "../api/types.ts";
import { contentOf, EMPTY_DRAFT } from "../chat/network/drafts.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Attachments } from "./Attachments.tsx";
import { SendButton } from "./SendButton.tsx";
import type { Suggestion } from "./suggest.ts";
import { TextBox } from "./TextBox.tsx";
import { useUploads } from "./uploads.ts";
import { useDroppedFiles } from "./useDroppedFiles.ts";
import "./composer.css";

interface Props {
  /** Whose draft this is: a chat's id, or the draft of a new one. */
  draft: string;
  chat_id: string | null;
  state: "idle" | "busy" | "stopping";
  placeholder: string;
  /** Takes the message, or says no and the draft stays. */
  onSend: (content: Content[], busy: Busy, text: string) => boolean;
  onStop: () => void;
  suggestions: { command: readonly Suggestion[]; file: readonly Suggestion[] };
  /** What was said before, newest first. */
  said: () => readonly string[];
  /** Pickers and toggles of the bar beneath the text. */
  children: ReactNode;
}

export function Composer(props: Props) {
  const { drafts } = useStores();
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.get(props.draft));
  const addFiles = useUploads(props.draft, props.chat_id);
  const box = useRef<HTMLTextAreaElement>(null);
  const over = useDroppedFiles(addFiles);
  useEffect(() => {
    // Where nobody is elsewhere, and no keyboard would cover half of the screen.
    if (document.activeElement === document.body && matchMedia("(hover: hover)").matches)
      box.current?.focus();
  }, []);
  const uploading = draft.attachments.some((item) => item.state.phase === "uploading");
  const content = contentOf(draft);
  const ready = content.length > 0 || uploading;
  /** How to send it, once its files have arrived. */
  const [wanted, setWanted] = useState<Busy | null>(null);
  const send = (busy: Busy) => {
    if (uploading) setWanted(busy);
    else if (ready && props.onSend(content, busy, draft.text)) drafts.change(props.draft, () => EMPTY_DRAFT);
  };
  useEffect(() => {
    if (wanted === null || uploading) return;
    setWanted(null);
    // What did not arrive may be what matters: somebody looks at it first.
    if (draft.attachments.every((item) => item.state.phase === "ready")) send(wanted);
  });
  return (
    <section className={`composer ${over ? "composer-over" : ""}`} aria-label={t("Composer")}>
      {over && <div className="drop-zone">{t("Drop files to attach them")}</div>}
      <Attachments draft={draft} of={props.draft} />
      <TextBox
        box={box}
        text={draft.text}
        placeholder={props.placeholder}
        onText={(text) => drafts.change(props.draft, (before) => ({ ...before, text }))}
        onFiles={addFiles}
        onSend={send}
        suggestions={props.suggestions}
        said={props.said}
      />
      {wanted && (
        <p className="composer-note" role="status">
          {t("Sends when uploads finish")}
        </p>
      )}
      <div className="composer-bar">
        <PickFiles onFiles={addFiles} />
        <div className="composer-controls">{props.children}</div>
        <SendButton state={props.state} ready={ready} onSend={send} onStop={props.onStop} />
      </div>
    </section>
  );
}

function PickFiles({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="ghost" label={t("Attach files")} onClick={() => input.current?.click()}>
        <Paperclip />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("Files")}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
