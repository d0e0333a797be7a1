/** Whether files go back with the chat: asked where something would, with what that would change. */

import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { api } from "../api/client.ts";
import type { FilesPreview } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";

const Diff = lazy(() => import("../diff/Diff.tsx"));

export interface FilesWish {
  files?: "back";
  files_state?: string;
}

/** A fork has files of its own, or none. */
export interface ForkWish {
  files?: "back" | "none";
  files_state?: string;
}

/** What is asked, and how the answer is given: nothing means that the edit is not made. */
interface Asked<Wish> {
  preview: FilesPreview;
  answer: (wish: Wish | undefined) => void;
}

const selectWorkspace = (chat: ChatState) => chat.card?.workspace_id;

/** Ask before a message is replaced. Nobody is asked where no file would be different. */
export function useFilesBack(chat: string) {
  return useAsked<FilesWish>(chat, FilesDialog);
}

/** Ask before a chat is forked, in the same way: of which time the files are that the new chat gets. */
export function useForkedFiles(chat: string) {
  return useAsked<ForkWish>(chat, ForkDialog);
}

type Ask<Wish> = (number: number) => Promise<Wish | undefined>;

function useAsked<Wish extends object>(
  chat: string,
  Question: (asked: Asked<Wish>) => ReactNode,
): [Ask<Wish>, ReactNode] {
  const workspace = useChat(selectWorkspace);
  const [asked, setAsked] = useState<Asked<Wish>>();
  const ask = useCallback(
    async (number: number): Promise<Wish | undefined> => {
      if (!workspace) return {} as Wish;
      const preview = await api.get(`/chats/${chat}/messages/${number}/files`);
      if (preview.possible && preview.count === 0) return {} as Wish;
      return new Promise((answered) =>
        setAsked({
          preview,
          answer: (wish) => {
            setAsked(undefined);
            answered(wish);
          },
        }),
      );
    },
    [chat, workspace],
  );
  return [ask, asked ? <Question key="files" {...asked} /> : null];
}

export function FilesDialog({ preview, answer }: Asked<FilesWish>) {
  return (
    <Dialog title={t("Files in the workspace")} className="files-back" onClose={() => answer(undefined)}>
      {preview.possible ? (
        <p>
          {t(
            "{count, plural, one {# file was} other {# files were}} changed after this message. Restore them, too?",
            { count: preview.count },
          )}
        </p>
      ) : (
        <CannotGoBack preview={preview} />
      )}
      <Difference preview={preview} />
      <div className="spread">
        <span className="grow" />
        <Button onClick={() => answer(undefined)}>{t("Cancel")}</Button>
        <Button look={preview.possible ? undefined : "primary"} onClick={() => answer({})}>
          {t("Keep files as they are")}
        </Button>
        {preview.possible && (
          <Button look="primary" onClick={() => answer({ files: "back", files_state: preview.state })}>
            {t("Restore files")}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

export function ForkDialog({ preview, answer }: Asked<ForkWish>) {
  return (
    <Dialog title={t("Files of the new chat")} className="files-back" onClose={() => answer(undefined)}>
      {preview.possible ? (
        <p>
          {t(
            "The new chat gets files of its own. {count, plural, one {# file was} other {# files were}} changed after this message.",
            { count: preview.count },
          )}
        </p>
      ) : (
        <CannotGoBack preview={preview} />
      )}
      <Difference preview={preview} />
      <div className="spread wrap">
        <span className="grow" />
        <Button onClick={() => answer(undefined)}>{t("Cancel")}</Button>
        <Button onClick={() => answer({ files: "none" })}>{t("No files")}</Button>
        <Button look={preview.possible ? undefined : "primary"} onClick={() => answer({})}>
          {t("Files as they are now")}
        </Button>
        {preview.possible && (
          <Button look="primary" onClick={() => answer({ files: "back", files_state: preview.state })}>
            {t("Files as they were then")}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function CannotGoBack({ preview }: { preview: FilesPreview }) {
  return (
    <p role="alert">
      {t("The files cannot be restored.")} {preview.why_not}
    </p>
  );
}

/** What would be different, as far as it is shown. */
function Difference({ preview }: { preview: FilesPreview }) {
  return (
    <>
      {preview.left_out && (
        <p className="quiet">{t("Not saved, and left as they are: {what}.", { what: preview.left_out })}</p>
      )}
      {preview.diff && (
        <section className="files-back-changes" aria-label={t("What restoring changes")}>
          <Suspense fallback={null}>
            <Diff text={preview.diff} />
          </Suspense>
        </section>
      )}
      {!preview.complete && <p className="quiet">{t("Only the first changes are shown.")}</p>}
    </>
  );
}
