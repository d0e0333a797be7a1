/** The workspaces one has: how each stands, what acts in it, and what can be done to it. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Box, Pencil, Play, Square } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { Workspace } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { Unsandboxed } from "../page/Sandbox.tsx";
import { Button } from "../ui/Button.tsx";
import { Facts } from "../ui/Facts.tsx";
import { bytes, fullTime, since } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useResource } from "./resource.ts";
import { Nothing, Problem, Section } from "./Section.tsx";
import { workspaceName } from "./workspaceName.ts";

export function Workspaces() {
  const workspaces = useResource("/workspaces");
  return (
    <Section
      title={t("Workspaces")}
      about={t("Where agents work. Idle workspaces are stopped; their files are kept until you remove them.")}
    >
      <Problem error={workspaces.error} />
      <ul className="rows">
        {workspaces.items.map((workspace) => (
          <WorkspaceRow
            key={workspace.id}
            workspace={workspace}
            onRename={(name) => workspaces.update(workspace.id, { name })}
            onRemove={() => workspaces.remove(workspace.id)}
          />
        ))}
      </ul>
      {!workspaces.loading && !workspaces.error && workspaces.items.length === 0 && (
        <Nothing
          icon={Box}
          title={t("No workspaces yet")}
          action={
            <Link href="/" className="button button-primary">
              {t("Start a chat")}
            </Link>
          }
        >
          {t(
            "An agent reads, writes and runs things in a workspace. It creates one when it needs it, or you choose a template when you start a chat.",
          )}
        </Nothing>
      )}
    </Section>
  );
}

const LOOKS: Record<string, string> = { running: "pill-good", failed: "pill-bad" };

interface RowProps {
  workspace: Workspace;
  onRename: (name: string) => Promise<unknown>;
  onRemove: () => Promise<unknown>;
}

function WorkspaceRow({ workspace, onRename, onRemove }: RowProps) {
  const client = useQueryClient();
  const { complain } = useToasts();
  const [renaming, setRenaming] = useState(false);
  const name = workspaceName(workspace);
  const size = useSize(workspace.id);
  const order = (verb: "start" | "stop") =>
    void api
      .post(`/workspaces/${workspace.id}/${verb}`)
      .then(() => client.invalidateQueries({ queryKey: ["resource", "/workspaces"] }))
      .catch(complain);
  return (
    <li className="card row-card">
      <div className="grow">
        <div className="spread wrap">
          {renaming ? (
            <Renaming name={name} onRename={onRename} onDone={() => setRenaming(false)} />
          ) : (
            <>
              <strong className="truncate">{name}</strong>
              <Button
                small
                look="ghost"
                label={t("Rename {name}", { name })}
                onClick={() => setRenaming(true)}
              >
                <Pencil />
              </Button>
            </>
          )}
          <span className={`pill ${LOOKS[workspace.status] ?? ""}`}>{termOf(workspace.status)}</span>
          {workspace.sandboxed === false && <Unsandboxed />}
        </div>
        <div className="quiet small">
          <Facts
            of={[
              workspace.template,
              size === null ? null : bytes(size),
              t("created {day}, used {used}", {
                day: fullTime(workspace.created_at),
                used: since(workspace.used_at),
              }),
            ]}
          />
        </div>
        <Chats workspace={workspace} />
        {workspace.error && <div className="field-error">{workspace.error}</div>}
      </div>
      <div className="spread">
        {workspace.status === "running" ? (
          <Button small onClick={() => order("stop")}>
            <Square /> {t("Stop")}
          </Button>
        ) : (
          <Button small onClick={() => order("start")}>
            <Play /> {t("Start")}
          </Button>
        )}
        <RemoveButton
          label={t("Remove workspace")}
          words={t("Remove with all its files")}
          onRemove={onRemove}
        />
      </div>
    </li>
  );
}

function Chats({ workspace }: { workspace: Workspace }) {
  const chats = workspace.chats ?? [];
  return (
    <div className="workspace-chats small">
      {chats.length === 0 && <span className="quiet">{t("No chat uses it.")}</span>}
      {chats.map((chat) => (
        <Link key={chat.id} href={`/chats/${chat.id}`}>
          {chat.title || t("New chat")}
        </Link>
      ))}
    </div>
  );
}

/** How much its files take, once that is known. */
function useSize(workspace: string): number | null {
  const { data } = useQuery({
    queryKey: ["workspace-size", workspace],
    queryFn: () => api.get(`/workspaces/${workspace}/size`),
    retry: false,
  });
  return data?.bytes ?? null;
}

interface RenamingProps {
  name: string;
  onRename: (name: string) => Promise<unknown>;
  onDone: () => void;
}

function Renaming({ name, onRename, onDone }: RenamingProps) {
  const { complain } = useToasts();
  const [text, setText] = useState(name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onRename(text.trim()).then(onDone, complain);
  };
  return (
    <form className="spread" onSubmit={save}>
      <input
        className="input"
        aria-label={t("Name of the workspace")}
        maxLength={80}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to rename
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onDone()}
      />
      <Button small look="primary" type="submit">
        {t("Save")}
      </Button>
    </form>
  );
}
