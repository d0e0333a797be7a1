/** Files on their way into a draft. */

import { useCallback } from "react";
import { upload } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import { freshId } from "../api/freshId.ts";
import type { Attachment } from "../chat/network/drafts.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";

const LARGEST = 10 * 1_048_576;
const TOO_LARGE = { phase: "failed", reason: t("larger than 10 MB") } as const;
/** A paste longer than this becomes a file: it is read better there, and the box stays quick. */
const LONG_PASTE_LETTERS = 8_000;
const LONG_PASTE_LINES = 200;

export function isLongPaste(text: string): boolean {
  return text.length > LONG_PASTE_LETTERS || text.split("\n", LONG_PASTE_LINES + 1).length > LONG_PASTE_LINES;
}

export function fileOfPaste(text: string, now = new Date()): File {
  const stamp = now.toISOString().slice(11, 19).replaceAll(":", "-");
  return new File([text], `pasted-${stamp}.txt`, { type: "text/plain" });
}

export function useUploads(draft: string, chat_id: string | null): (files: Iterable<File>) => void {
  const { drafts } = useStores();
  return useCallback(
    (files) => {
      for (const file of files) {
        const id = freshId();
        const going = new AbortController();
        const set = (state: Attachment["state"]) => {
          // Taken out of the draft meanwhile: nobody waits for it.
          if (!drafts.attach(draft, { id, name: file.name, state } as Attachment)) going.abort();
        };
        const tooLarge = file.size > LARGEST;
        const first = tooLarge ? TOO_LARGE : { phase: "uploading" as const, share: 0 };
        drafts.change(draft, (before) => ({
          ...before,
          attachments: [...before.attachments, { id, name: file.name, state: first } as Attachment],
        }));
        if (tooLarge) continue;
        upload(file, { chat_id }, (share) => set({ phase: "uploading", share }), going.signal)
          .then((stored) => set({ phase: "ready", file: stored }))
          .catch((error: unknown) => set({ phase: "failed", reason: reasonOf(error) }));
      }
    },
    [drafts, draft, chat_id],
  );
}
