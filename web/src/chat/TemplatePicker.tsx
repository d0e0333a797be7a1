import { useQuery } from "@tanstack/react-query";
import { Box, ChevronDown } from "lucide-react";
import { api } from "../api/client.ts";
import type { Template } from "../api/types.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";

export function useTemplates(): readonly Template[] {
  const { data } = useQuery({
    queryKey: ["templates"],
    queryFn: () => api.get<{ items: Template[] }>("/templates"),
    retry: false,
    staleTime: 60_000,
  });
  return data?.items ?? [];
}

interface Props {
  template: Template | null;
  onTemplate: (template: Template | null) => void;
}

/** Where the agent works: no workspace until it asks for one, or one of the templates from the start. */
export function TemplatePicker({ template, onTemplate }: Props) {
  const templates = useTemplates();
  if (templates.length === 0) return null;
  return (
    <Menu
      label="Workspace"
      className="picker"
      words={
        <>
          <Box aria-hidden />
          <span className="truncate">{template?.name ?? "Automatic workspace"}</span>
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
              checked={template === null}
              about="The agent creates one when it needs it."
              onSelect={choose(null)}
            >
              Automatic workspace
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
          </>
        );
      }}
    </Menu>
  );
}
