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

/** What is asked, and how the answer is given: nothing means that the edit is not made. */
interface Asked {
  preview: FilesPreview;
  answer: (wish: FilesWish | undefined) => void;
}

const selectWorkspace = (chat: ChatState) => chat.card?.workspace_id;

/** Ask before a message is replaced. Nobody is asked where no file would be different. */
export function useFilesBack(chat: string): [(number: number) => Promise<FilesWish | undefined>, ReactNode] {
  const workspace = useChat(selectWorkspace);
  const [asked, setAsked] = useState<Asked>();
  const ask = useCallback(
    async (number: number): Promise<FilesWish | undefined> => {
      if (!workspace) return {};
      const preview = await api.get(`/chats/${chat}/messages/${number}/files`);
      if (preview.possible && preview.count === 0) return {};
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
  return [ask, asked ? <FilesDialog key="files" {...asked} /> : null];
}

export function FilesDialog({ preview, answer }: Asked) {
  return (
    <Dialog title={t("Files in the workspace")} className="files-back" onClose={() => answer(undefined)}>
      {preview.possible ? (
        <p>
          {t(
            "{count, plural, one {# file was} other {# files were}} changed after this message. Should they go back, too?",
            { count: preview.count },
          )}
        </p>
      ) : (
        <p role="alert">
          {t("The files cannot go back.")} {preview.why_not}
        </p>
      )}
      {preview.left_out && (
        <p className="quiet">{t("Not kept, and left as they are: {what}.", { what: preview.left_out })}</p>
      )}
      {preview.diff && (
        <section className="files-back-changes" aria-label={t("What going back changes")}>
          <Suspense fallback={null}>
            <Diff text={preview.diff} />
          </Suspense>
        </section>
      )}
      {!preview.complete && <p className="quiet">{t("Only the first changes are shown.")}</p>}
      <div className="spread">
        <span className="grow" />
        <Button onClick={() => answer(undefined)}>{t("Cancel")}</Button>
        <Button look={preview.possible ? undefined : "primary"} onClick={() => answer({})}>
          {t("Keep files as they are")}
        </Button>
        {preview.possible && (
          <Button look="primary" onClick={() => answer({ files: "back", files_state: preview.state })}>
            {t("Put files back")}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
