import { useQuery } from "@tanstack/react-query";
import { Box, ChevronDown } from "lucide-react";
import { api } from "../api/client.ts";
import { listOf } from "../app/models.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";

export interface Template {
  name: string;
  description?: string;
}

/** Where the agent works: no workspace until it asks for one, or one of the templates from the start. */
export function TemplatePicker({
  template,
  onTemplate,
}: {
  template: string | null;
  onTemplate: (name: string | null) => void;
}) {
  const { data } = useQuery({
    queryKey: ["templates"],
    queryFn: async () => listOf(await api.get<Template[] | { items: Template[] }>("/templates")),
    retry: false,
    staleTime: 60_000,
  });
  if (!data || data.length === 0) return null;
  return (
    <Menu
      label="Workspace"
      className="picker"
      words={
        <>
          <Box aria-hidden />
          <span className="truncate">{template ?? "No workspace"}</span>
          <ChevronDown aria-hidden />
        </>
      }
    >
      {(close) => {
        const choose = (name: string | null) => () => {
          onTemplate(name);
          close();
        };
        return (
          <>
            <MenuItem checked={template === null} onSelect={choose(null)}>
              No workspace
            </MenuItem>
            {data.map((entry) => (
              <MenuItem key={entry.name} checked={template === entry.name} onSelect={choose(entry.name)}>
                {entry.name}
                {entry.description && <span className="quiet small"> {entry.description}</span>}
              </MenuItem>
            ))}
          </>
        );
      }}
    </Menu>
  );
}
