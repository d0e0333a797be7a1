/** What the agent changed, live as it works. Comments on lines go along with the next message. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Columns2, RefreshCw, Rows3, WrapText } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect } from "react";
import { api } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import { useStored } from "../app/stored.ts";
import { useStores } from "../app/stores.ts";
import { editsIn } from "../chat/edits.ts";
import { useChat, useLiveChat } from "../chat/hooks.ts";
import type { ChatState } from "../chat/state.ts";
import type { DiffMode } from "../diff/DiffFileView.tsx";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { NoWorkspace } from "./NoWorkspace.tsx";

const Diff = lazy(() => import("../diff/Diff.tsx"));

const selectDiff = (chat: ChatState) => chat.card?.diff;
const selectMessages = (chat: ChatState) => chat.messages;

interface DiffAnswer {
  diff?: string;
  repositories?: { path?: string; diff?: string }[];
}

export function diffTextOf(answer: DiffAnswer | string): string {
  if (typeof answer === "string") return answer;
  return answer.diff ?? answer.repositories?.map((entry) => entry.diff ?? "").join("\n") ?? "";
}

export function Changes({ workspace }: { workspace: string | undefined }) {
  const live = useLiveChat();
  const { drafts } = useStores();
  const client = useQueryClient();
  const status = useChat(selectDiff);
  const messages = useChat(selectMessages);
  const steps = messages.length;
  const [mode, setMode] = useStored<DiffMode>("diff-mode", "unified");
  const [wrap, setWrap] = useStored("diff-wrap", false);
  const { data, isFetching, error } = useQuery({
    queryKey: ["diff", workspace],
    queryFn: async () => diffTextOf(await api.get<DiffAnswer | string>(`/workspaces/${workspace}/diff`)),
    enabled: workspace !== undefined,
    retry: false,
  });
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: ["diff", workspace] }),
    [client, workspace],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step or a new diff status means that files may have changed
  useEffect(refresh, [status, steps, refresh]);
  if (!workspace) return <NoWorkspace />;
  const shown = data ?? (error ? editsIn(messages) : "");
  const why = error && whyNot(error, shown);
  const comment = (file_name: string, line: number, content: string, text: string) =>
    drafts.change(live.id, (draft) => ({
      ...draft,
      comments: [...draft.comments, { file_name, line, content, comment: text }],
    }));
  return (
    <div className="changes">
      <div className="panel-bar">
        <span className="grow quiet">
          {status
            ? t("{count, plural, one {# file} other {# files}}", { count: status.files ?? 0 })
            : error && t("Changes in this chat")}{" "}
          {status && (
            <>
              <span className="added">+{status.added ?? 0}</span>{" "}
              <span className="removed">−{status.removed ?? 0}</span>
            </>
          )}
        </span>
        {status?.pull_request_url && (
          <a href={status.pull_request_url} target="_blank" rel="noopener noreferrer">
            {t("Pull request ({state})", { state: status.pull_request_state ?? "" })}
          </a>
        )}
        <Button
          look="ghost"
          small
          label={mode === "split" ? t("Unified view") : t("Side by side")}
          onClick={() => setMode(mode === "split" ? "unified" : "split")}
        >
          {mode === "split" ? <Rows3 /> : <Columns2 />}
        </Button>
        <Button look="ghost" small label={t("Wrap lines")} aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          <WrapText />
        </Button>
        <Button look="ghost" small label={t("Refresh")} onClick={refresh} aria-busy={isFetching}>
          <RefreshCw />
        </Button>
      </div>
      {status && <Verdicts checks={status.pull_request_checks} review={status.pull_request_review} />}
      {why && <p className="quiet panel-note">{why}</p>}
      {(data !== undefined || error) && (
        <Suspense fallback={null}>
          <Diff text={shown} mode={mode} wrap={wrap} place={live.id} onComment={comment} />
        </Suspense>
      )}
    </div>
  );
}

const CHECKS: Record<string, { words: string; look: string }> = {
  passed: { words: t("Checks passed"), look: "added" },
  failed: { words: t("Checks failed"), look: "removed" },
  pending: { words: t("Checks running"), look: "" },
};
const REVIEWS: Record<string, { words: string; look: string }> = {
  approved: { words: t("Review: approved"), look: "added" },
  changes_requested: { words: t("Review: changes requested"), look: "removed" },
};

/** What checks and reviewers say of the pull request. */
function Verdicts({ checks, review }: { checks: string | undefined; review: string | undefined }) {
  const said = [CHECKS[checks ?? ""], REVIEWS[review ?? ""]].filter((entry) => entry !== undefined);
  if (said.length === 0) return null;
  return (
    <p className="quiet panel-note verdicts">
      {said.map((entry) => (
        <span key={entry.words} className={entry.look}>
          {entry.words}
        </span>
      ))}
    </p>
  );
}

const NO_REPOSITORY = 404;

/** Why the workspace has no diff: mostly because it has nothing to compare with, which is no error. */
function whyNot(error: Error, shown: string): string | null {
  if (!(error instanceof ApiError && error.status === NO_REPOSITORY)) return error.message;
  return shown ? null : t("No changes to show.");
}
