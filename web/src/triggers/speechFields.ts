/** The fields that schedules and triggers have alike: in which chat something is said, by which model, and where it works. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { ChatCard, Model, Template } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import type { FieldSpec, Values } from "../settings/form.tsx";
import { fieldOf } from "../settings/TemplateFields.tsx";
import { useTemplates, useWorkspaces } from "../settings/TemplatePicker.tsx";
import { workspaceName } from "../settings/workspaceName.ts";
import { templatePlace, workspacePlace } from "./speechValues.ts";

/** What stands already stays to be chosen, listed or not. */
export function useSpeechFields(chosen: Values): FieldSpec[] {
  const models = useModels();
  const templates = useTemplates();
  const workspaces = useWorkspaces();
  const chats = useRecentChats();
  const chatOptions = chats.map((chat) => ({ value: chat.id, label: chat.title || t("Untitled chat") }));
  const places = [
    ...templates.map(({ name }) => ({
      value: templatePlace(name),
      label: t("A new one for each chat: {name}", { name }),
    })),
    ...workspaces.map((each) => ({ value: workspacePlace(each.id), label: workspaceName(each) })),
  ];
  return [
    {
      name: "chat_id",
      label: t("Chat"),
      kind: "choice",
      options: optional(t("A new chat each time"), chatOptions, chosen.chat_id),
      when: (values) => !values.channel,
    },
    {
      name: "model",
      label: t("Model"),
      kind: "choice",
      options: optional(t("Your usual model"), models.map(modelOption), chosen.model),
    },
    {
      name: "place",
      label: t("Workspace"),
      kind: "choice",
      options: optional(t("Automatic workspace"), places, chosen.place),
      when: newChat,
    },
    ...templates.flatMap(parameterFields),
    {
      name: "budget_limit",
      label: t("Budget of each chat (USD)"),
      kind: "dollars",
      hint: t("Leave empty for no limit."),
      when: newChat,
    },
  ];
}

function useRecentChats(): readonly ChatCard[] {
  const { data } = useQuery({
    queryKey: ["chats of schedules"],
    queryFn: () => api.get("/chats", { limit: 50 }),
    retry: false,
    staleTime: 30_000,
  });
  return data?.items ?? [];
}

export const newChat = (values: Values): boolean => !values.chat_id;
const modelOption = ({ name, display_name }: Model) => ({ value: name, label: display_name || name });

type Option = { value: string; label: string };

function optional(none: string, options: readonly Option[], chosen: unknown): Option[] {
  const known = !chosen || options.some((option) => option.value === chosen);
  const kept = known ? [] : [{ value: String(chosen), label: t("As it is") }];
  return [{ value: "", label: none }, ...kept, ...options];
}

function parameterFields(template: Template): FieldSpec[] {
  return template.parameters.map((parameter) => ({
    ...fieldOf(parameter),
    name: `parameters.${parameter.name}`,
    when: (values) => newChat(values) && values.place === templatePlace(template.name),
  }));
}
