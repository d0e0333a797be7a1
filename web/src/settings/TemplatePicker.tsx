import { useQuery } from "@tanstack/react-query";
import { Box, ChevronDown } from "lucide-react";
import { api } from "../api/client.ts";
import type { Template, Workspace } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { since } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { workspaceName } from "./workspaceName.ts";

export function useTemplates(): readonly Template[] {
  const { data } = useQuery({
    queryKey: ["templates"],
    queryFn: () => api.get("/templates"),
    retry: false,
    staleTime: 60_000,
  });
  return data?.items ?? [];
}

export function useWorkspaces(): readonly Workspace[] {
  const { data } = useQuery({
    queryKey: ["resource", "/workspaces"],
    queryFn: async () => (await api.get("/workspaces")).items,
    retry: false,
  });
  return data?.filter((workspace) => workspace.status !== "failed") ?? [];
}

interface Props {
  template: Template | null;
  workspace: Workspace | null;
  onTemplate: (template: Template | null) => void;
  onWorkspace: (workspace: Workspace) => void;
}

const MOST_WORKSPACES = 8;

/** Where the agent works: no workspace until it asks for one, one of the templates, or one that there is. */
export function TemplatePicker({ template, workspace, onTemplate, onWorkspace }: Props) {
  const templates = useTemplates();
  const workspaces = useWorkspaces().slice(0, MOST_WORKSPACES);
  if (templates.length === 0) return null;
  return (
    <Menu
      label={t("Workspace")}
      className="picker"
      words={
        <>
          <Box aria-hidden />
          <span className={workspace || template ? "truncate" : "truncate picker-default"}>
            {workspace ? workspaceName(workspace) : (template?.name ?? t("Automatic workspace"))}
          </span>
          <ChevronDown aria-hidden />
        </>
      }
    >
      {(close) => {
        const choose = (chosen: Template | null) => () => {
          onTemplate(chosen);
          close();
        };
        return (
          <>
            <MenuItem
              checked={template === null && workspace === null}
              about={t("The agent creates one when it needs it.")}
              onSelect={choose(null)}
            >
              {t("Automatic workspace")}
            </MenuItem>
            {templates.map((entry) => (
              <MenuItem
                key={entry.name}
                checked={template?.name === entry.name}
                about={entry.description}
                onSelect={choose(entry)}
              >
                {entry.name}
              </MenuItem>
            ))}
            {workspaces.length > 0 && <p className="menu-heading">{t("Your workspaces")}</p>}
            {workspaces.map((entry) => (
              <MenuItem
                key={entry.id}
                checked={workspace?.id === entry.id}
                about={t("{template}, used {used_at}", {
                  template: entry.template,
                  used_at: since(entry.used_at),
                })}
                onSelect={() => {
                  onWorkspace(entry);
                  close();
                }}
              >
                {workspaceName(entry)}
              </MenuItem>
            ))}
          </>
        );
      }}
    </Menu>
  );
}
