/** What is typed and not sent, per chat. It survives reloads, and it survives a failed send. */

import type { Content, StoredFile } from "../../api/types.ts";

export interface LineComment {
  file_name: string;
  line: number;
  content: string;
  comment: string;
}
export type Attachment =
  | { id: string; name: string; state: { phase: "uploading"; share: number } }
  | { id: string; name: string; state: { phase: "ready"; file: StoredFile } }
  | { id: string; name: string; state: { phase: "failed"; reason: string } };

export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  comments: readonly LineComment[];
}

export const EMPTY_DRAFT: Draft = { text: "", attachments: [], comments: [] };

/** The draft of a chat that does not exist yet. */
export const NEW_CHAT = "new";

export class Drafts {
  #drafts = new Map<string, Draft>();
  #listeners = new Set<() => void>();
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  get(chat: string): Draft {
    const held = this.#drafts.get(chat) ?? this.#load(chat);
    this.#drafts.set(chat, held);
    return held;
  }

  change(chat: string, change: (draft: Draft) => Draft): void {
    const draft = change(this.get(chat));
    this.#drafts.set(chat, draft);
    this.#store(chat, draft);
    for (const listener of this.#listeners) listener();
  }

  /** Put an attachment in the place of the one with its id. False when that is not in the draft any more. */
  attach(chat: string, attachment: Attachment): boolean {
    const { attachments } = this.get(chat);
    const at = attachments.findIndex((item) => item.id === attachment.id);
    if (at >= 0) this.change(chat, (draft) => ({ ...draft, attachments: attachments.with(at, attachment) }));
    return at >= 0;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #load(chat: string): Draft {
    const stored = this.#storage.getItem(`draft:${chat}`);
    return stored ? { ...EMPTY_DRAFT, ...(JSON.parse(stored) as Partial<Draft>) } : EMPTY_DRAFT;
  }

  #store(chat: string, draft: Draft): void {
    const attachments = draft.attachments.filter((item) => item.state.phase === "ready");
    const empty = !draft.text && attachments.length === 0 && draft.comments.length === 0;
    try {
      if (empty) this.#storage.removeItem(`draft:${chat}`);
      else this.#storage.setItem(`draft:${chat}`, JSON.stringify({ ...draft, attachments }));
    } catch {
      // The browser's storage is full: the draft lives on in memory.
    }
  }
}

/** A draft as the parts of a message. Each comment follows the lines it is about. */
export function contentOf(draft: Draft): Content[] {
  const files = draft.attachments.flatMap((item): Content[] => {
    if (item.state.phase !== "ready") return [];
    const { id, name, media_type } = item.state.file;
    return [{ type: "file", file_id: id, name, media_type }];
  });
  const comments = draft.comments.flatMap((entry): Content[] => [
    {
      type: "file_reference",
      file_name: entry.file_name,
      start_line: entry.line,
      end_line: entry.line,
      content: entry.content,
    },
    { type: "text", text: entry.comment },
  ]);
  const text: Content[] = draft.text.trim() ? [{ type: "text", text: draft.text.trim() }] : [];
  return [...files, ...comments, ...text];
}
