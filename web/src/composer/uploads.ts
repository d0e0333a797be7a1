/** Files on their way into a draft. */

import { useCallback } from "react";
import { upload } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { StoredFile } from "../api/types.ts";
import { useStores } from "../app/stores.ts";
import type { Attachment } from "./drafts.ts";

const LARGEST = 10 * 1_048_576;
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
        const id = crypto.randomUUID();
        const set = (state: Attachment["state"]) =>
          drafts.change(draft, (before) => {
            const entry = { id, name: file.name, state } as Attachment;
            const known = before.attachments.some((item) => item.id === id);
            const attachments = known
              ? before.attachments.map((item) => (item.id === id ? entry : item))
              : [...before.attachments, entry];
            return { ...before, attachments };
          });
        if (file.size > LARGEST) {
          set({ phase: "failed", reason: "larger than 10 MB" });
          continue;
        }
        set({ phase: "uploading", share: 0 });
        upload<StoredFile>(
          file,
          { chat_id },
          (share) => set({ phase: "uploading", share }),
          new AbortController().signal,
        )
          .then((stored) => set({ phase: "ready", file: stored }))
          .catch((error: unknown) => set({ phase: "failed", reason: reasonOf(error) }));
      }
    },
    [drafts, draft, chat_id],
  );
}
