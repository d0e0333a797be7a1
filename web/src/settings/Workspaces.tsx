/** The workspaces one has: how each stands, and what can be done to it. */

import { useQueryClient } from "@tanstack/react-query";
import { Play, Square } from "lucide-react";
import { api } from "../api/client.ts";
import type { Workspace } from "../api/types.ts";
import { Unsandboxed } from "../panel/Sandbox.tsx";
import { Button } from "../ui/Button.tsx";
import { fullTime, since } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";

export function Workspaces() {
  const workspaces = useResource<Workspace>("/workspaces");
  return (
    <Section
      title="Workspaces"
      about="Where agents work. Idle workspaces are stopped; their files are kept until you remove them."
    >
      <Problem error={workspaces.error} />
      <ul className="rows">
        {workspaces.items.map((workspace) => (
          <WorkspaceRow
            key={workspace.id}
            workspace={workspace}
            onRemove={() => workspaces.remove(workspace.id)}
          />
        ))}
      </ul>
      {!workspaces.loading && !workspaces.error && workspaces.items.length === 0 && (
        <p className="quiet">No workspaces yet. An agent creates one when it needs it.</p>
      )}
    </Section>
  );
}

const LOOKS: Record<string, string> = { running: "pill-good", failed: "pill-bad" };

function WorkspaceRow({ workspace, onRemove }: { workspace: Workspace; onRemove: () => Promise<unknown> }) {
  const client = useQueryClient();
  const { complain } = useToasts();
  const order = (verb: "start" | "stop") =>
    void api
      .post(`/workspaces/${workspace.id}/${verb}`)
      .then(() => client.invalidateQueries({ queryKey: ["resource", "/workspaces"] }))
      .catch(complain);
  return (
    <li className="card row-card">
      <div className="grow">
        <strong>{workspace.template}</strong>{" "}
        <span className={`pill ${LOOKS[workspace.status] ?? ""}`}>{workspace.status}</span>{" "}
        {workspace.sandboxed === false && <Unsandboxed />}
        <div className="quiet small">
          made {fullTime(workspace.created_at)}, used {since(workspace.used_at)}
        </div>
        {workspace.error && <div className="field-error">{workspace.error}</div>}
      </div>
      <div className="spread">
        {workspace.status === "running" ? (
          <Button small onClick={() => order("stop")}>
            <Square /> Stop
          </Button>
        ) : (
          <Button small onClick={() => order("start")}>
            <Play /> Start
          </Button>
        )}
        <RemoveButton label="Remove workspace" words="Remove with all its files" onRemove={onRemove} />
      </div>
    </li>
  );
}
