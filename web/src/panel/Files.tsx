/** The files of the workspace: looked at, taken out, and put in by drop. */

import { useQueryClient } from "@tanstack/react-query";
import { Download, RefreshCw, Upload } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { api, pathOf } from "../api/client.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { FileTree } from "./FileTree.tsx";
import { FileView } from "./FileView.tsx";
import { NoWorkspace } from "./NoWorkspace.tsx";

const selectSteps = (chat: ChatState) => chat.messages.length;

export default function Files({ workspace }: { workspace: string | undefined }) {
  if (!workspace) return <NoWorkspace />;
  return <WorkspaceFiles key={workspace} workspace={workspace} />;
}

function WorkspaceFiles({ workspace }: { workspace: string }) {
  const client = useQueryClient();
  const mine = useMine();
  const steps = useChat(selectSteps);
  const [shown, setShown] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const { say, complain } = useToasts();
  const refresh = () => {
    for (const kind of ["folder", "file", "files"])
      void client.invalidateQueries({ queryKey: [kind, workspace] });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step means that files may have changed
  useEffect(refresh, [steps]);
  const put = async (files: readonly File[]) => {
    try {
      for (const file of files)
        await api.putBytes(`/workspaces/${workspace}/files/content`, { path: file.name }, file);
      say(
        t("{count, plural, one {# file} other {# files}} uploaded to the workspace.", {
          count: files.length,
        }),
      );
    } catch (error) {
      complain(error);
    }
    refresh();
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    // What is dropped here is not attached to the message as well.
    event.stopPropagation();
    void put([...event.dataTransfer.files]);
  };
  if (shown) return <FileView workspace={workspace} path={shown} onBack={() => setShown(null)} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keyboard
    <div
      className="files"
      data-over={over}
      onDragOver={(event) => {
        if (!mine) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={mine ? drop : undefined}
    >
      <div className="panel-bar">
        <span className="grow quiet">{t("Workspace")}</span>
        {mine && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={t("Files to upload")}
              onChange={(event) => {
                void put([...(event.target.files ?? [])]);
                event.target.value = "";
              }}
            />
            <Button look="ghost" small label={t("Upload files")} onClick={() => picker.current?.click()}>
              <Upload />
            </Button>
          </>
        )}
        <a
          className="button button-ghost button-small button-icon"
          href={pathOf(`/workspaces/${workspace}/archive`)}
          download
          aria-label={t("Download all files")}
          title={t("Download all files (zip)")}
        >
          <Download aria-hidden />
        </a>
        <Button look="ghost" small label={t("Refresh")} onClick={refresh}>
          <RefreshCw />
        </Button>
      </div>
      <FileTree workspace={workspace} folder="." onOpen={setShown} />
    </div>
  );
}
