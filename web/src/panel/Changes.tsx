/** What the agent changed, live as it works. Comments on lines go along with the next message. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Columns2, RefreshCw, Rows3, WrapText } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { api } from "../api/client.ts";
import type { Answer } from "../api/operations.ts";
import type { Message } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { useStores } from "../chat/network/stores.ts";
import type { DiffMode } from "../diff/DiffFileView.tsx";
import { parseDiff } from "../diff/parse.ts";
import { t } from "../language/catalogue.ts";
import { useStored } from "../page/stored.ts";
import { Button } from "../ui/Button.tsx";
import { NoWorkspace } from "./NoWorkspace.tsx";

const Diff = lazy(() => import("../diff/Diff.tsx"));

const selectDiff = (chat: ChatState) => chat.card?.diff;
const selectMessages = (chat: ChatState) => chat.messages;

type Since = "chat" | "turn" | "commit";

interface ChangedFiles {
  count: number;
  files: { added: number; removed: number }[];
  diff: string;
  complete: boolean;
  left_out: string;
}

interface Shown extends ChangedFiles {
  added: number;
  removed: number;
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
  const [chosen, setSince] = useStored<Since>("changes-since", "chat");
  const since = chosen === "commit" && !status ? "chat" : chosen;
  const turn = since === "turn" ? lastPrompt(messages) : undefined;
  const { data, isFetching, error } = useQuery({
    queryKey: ["diff", live.id, workspace, since, turn],
    queryFn: () => read(live.id, workspace ?? "", since, turn),
    enabled: workspace !== undefined,
    retry: false,
  });
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: ["diff", live.id] }),
    [client, live.id],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step or a new diff status means that files may have changed
  useEffect(refresh, [status, steps, refresh]);
  if (!workspace) return <NoWorkspace />;
  const comment = (file_name: string, line: number, content: string, text: string) =>
    drafts.change(live.id, (draft) => ({
      ...draft,
      comments: [...draft.comments, { file_name, line, content, comment: text }],
    }));
  return (
    <div className="changes">
      <div className="panel-bar">
        <select
          className="input"
          aria-label={t("Show changes")}
          value={since}
          onChange={(event) => setSince(event.target.value as Since)}
        >
          <option value="chat">{t("In this chat")}</option>
          <option value="turn">{t("In the last turn")}</option>
          {status && <option value="commit">{t("Since the last commit")}</option>}
        </select>
        <span className="grow quiet">
          {data && (
            <>
              {t("{count, plural, one {# file} other {# files}}", { count: data.count })}{" "}
              <span className="added">+{data.added}</span> <span className="removed">−{data.removed}</span>
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
      {status?.pull_request_url && (
        <Review
          onHand={(entry) => comment(entry.path || "pull request", entry.line ?? 0, "", handed(entry))}
        />
      )}
      {error && <p className="quiet panel-note">{error.message}</p>}
      {data?.left_out && (
        <p className="quiet panel-note">{t("Not shown: {what}.", { what: data.left_out })}</p>
      )}
      {data && !data.complete && <p className="quiet panel-note">{t("Only the first changes are shown.")}</p>}
      {data && (
        <Suspense fallback={null}>
          <Diff text={data.diff} mode={mode} wrap={wrap} place={live.id} onComment={comment} />
        </Suspense>
      )}
    </div>
  );
}

type ReviewComment = Answer<"get", "/chats/{chat_id}/review-comments">["items"][number];

const handed = (entry: ReviewComment) =>
  t("{author} says in a review: {body}", { author: entry.author, body: entry.body });

/** What reviewers say of the pull request. Each comment can go along with the next message. */
function Review({ onHand }: { onHand: (entry: ReviewComment) => void }) {
  const live = useLiveChat();
  const mine = useMine();
  const [open, setOpen] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ["review", live.id],
    queryFn: () => api.get(`/chats/${live.id}/review-comments`),
    enabled: open,
    retry: false,
  });
  return (
    <details className="panel-note review" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-busy={isFetching}>{t("Review comments")}</summary>
      {error && <p className="quiet">{error.message}</p>}
      {data?.items.length === 0 && <p className="quiet">{t("No comments yet.")}</p>}
      <ul>
        {data?.items.map((entry) => (
          <li key={`${entry.url} ${entry.body}`}>
            <p className="quiet">
              <strong>{entry.author}</strong>{" "}
              {entry.path && <code>{`${entry.path}${entry.line ? `:${entry.line}` : ""}`}</code>}
            </p>
            <p className="review-body">{entry.body}</p>
            {mine && (
              <Button small onClick={() => onHand(entry)}>
                {t("Add to next message")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </details>
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

/** What the chat did, known without Git; or what Git says, where there is a repository. */
async function read(chat: string, workspace: string, since: Since, turn: number | undefined): Promise<Shown> {
  if (since !== "commit")
    return shownOf(await api.get(`/chats/${chat}/changes${turn ? `?turn=${turn}` : ""}`));
  const { diff } = await api.get(`/workspaces/${workspace}/diff`);
  const files = parseDiff(diff).map((file) => ({ added: file.added, removed: file.removed }));
  return shownOf({ diff, files, count: files.length, complete: true, left_out: "" });
}

function shownOf(found: ChangedFiles): Shown {
  const sum = (of: "added" | "removed") => found.files.reduce((total, file) => total + file[of], 0);
  return { ...found, added: sum("added"), removed: sum("removed") };
}

function lastPrompt(messages: readonly Message[]): number | undefined {
  return messages.findLast(
    (message) => message.role === "user" && (message.kind ?? "ordinary") === "ordinary",
  )?.number;
}
