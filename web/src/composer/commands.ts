/** What `/` can do in a chat. Anything else that starts with a slash is just text, or a skill the model knows. */

import { useQuery } from "@tanstack/react-query";
import { api, pathOf } from "../api/client.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { t } from "../language/catalogue.ts";
import { interrupt } from "./stopping.tsx";
import type { Suggestion } from "./suggest.ts";

export interface Command extends Suggestion {
  run: (live: LiveChat, rest: string) => Promise<unknown>;
}

export const COMMANDS: Command[] = [
  {
    value: "compact",
    hint: t("Summarize older messages"),
    run: (live) => api.post(`/chats/${live.id}/compact`),
  },
  { value: "stop", hint: t("Stop the turn"), run: interrupt },
  { value: "retry", hint: t("Try again after an error"), run: (live) => api.post(`/chats/${live.id}/retry`) },
  {
    value: "plan",
    hint: t("Plan mode on"),
    run: (live) => api.patch(`/chats/${live.id}`, { plan_mode: true }),
  },
  {
    value: "build",
    hint: t("Plan mode off"),
    run: (live) => api.patch(`/chats/${live.id}`, { plan_mode: false }),
  },
  {
    value: "rename",
    hint: t("Give the chat a title"),
    run: (live, rest) =>
      rest ? api.patch(`/chats/${live.id}`, { title: rest }) : api.post(`/chats/${live.id}/title/regenerate`),
  },
  {
    value: "archive",
    hint: t("Archive the chat"),
    run: (live) => api.patch(`/chats/${live.id}`, { archived: true }),
  },
  {
    value: "export",
    hint: t("Download as Markdown"),
    run: async (live) => open(pathOf(`/chats/${live.id}/export`, { format: "markdown" })),
  },
];

/** The command a text is, and what follows it. */
export function commandIn(text: string): { command: Command; rest: string } | null {
  const found = /^\/([\w-]+)\s*([\s\S]*)$/.exec(text.trim());
  const command = COMMANDS.find((entry) => entry.value === found?.[1]);
  return command ? { command, rest: (found?.[2] ?? "").trim() } : null;
}

export function useSkills(): Suggestion[] {
  const { data } = useQuery({
    queryKey: ["skills"],
    queryFn: () => api.get("/skills"),
    retry: false,
    staleTime: 60_000,
  });
  return (data?.items ?? []).map((skill) => ({ value: skill.name, hint: skill.description ?? t("Skill") }));
}
