/** The form of a schedule: what is said, when, where, and what happens when that does not go smoothly. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { ChatCard, Model, Template, Workspace } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import { NextTimes } from "../page/NextTimes.tsx";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import { fieldOf } from "../settings/TemplateFields.tsx";
import { useTemplates, useWorkspaces } from "../settings/TemplatePicker.tsx";
import { workspaceName } from "../settings/workspaceName.ts";
import { sentOf, templatePlace, workspacePlace, zonesWith } from "./scheduleValues.ts";

interface Props {
  initial: Values;
  submit: string;
  onSubmit: (values: Values) => Promise<unknown>;
  onDone: () => void;
}

export function ScheduleForm({ initial, submit, onSubmit, onDone }: Props) {
  const models = useModels();
  const templates = useTemplates();
  const workspaces = useWorkspaces();
  const chats = useRecentChats();
  return (
    <SpecForm
      fields={[
        ...when(String(initial.zone ?? "UTC")),
        ...where({ chats, models, templates, workspaces, chosen: initial }),
        ...otherwise,
      ]}
      initial={initial}
      submit={submit}
      onSubmit={(values) => onSubmit(sentOf(values))}
      onDone={onDone}
    />
  );
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

function when(zone: string): FieldSpec[] {
  return [
    { name: "name", label: t("Name"), required: true, placeholder: t("Look at the build") },
    { name: "prompt", label: t("What to say"), kind: "area", required: true },
    {
      name: "rule",
      label: t("When"),
      kind: "code",
      rows: 2,
      required: true,
      hint: t(
        "A cron line such as 0 9 * * 1-5, or a recurrence rule such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0.",
      ),
      below: (values) => <NextTimes rule={String(values.rule ?? "")} zone={String(values.zone || zone)} />,
    },
    {
      name: "zone",
      label: t("Time zone"),
      kind: "choice",
      options: zonesWith(zone).map((value) => ({ value, label: value.replaceAll("_", " ") })),
    },
  ];
}

interface Choices {
  chats: readonly ChatCard[];
  models: readonly Model[];
  templates: readonly Template[];
  workspaces: readonly Workspace[];
  /** What stands already stays to be chosen, listed or not. */
  chosen: Values;
}

function where({ chats, models, templates, workspaces, chosen }: Choices): FieldSpec[] {
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

const newChat = (values: Values): boolean => !values.chat_id;
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

const OVERLAPS = [
  { value: "queue", label: t("Wait until the chat is idle") },
  { value: "skip", label: t("Skip this time") },
  { value: "steer", label: t("Tell the chat before its next step") },
  { value: "interrupt", label: t("Stop the chat") },
];
const MISSED = [
  { value: "once", label: t("Run the newest") },
  { value: "skip", label: t("Skip them") },
  { value: "all", label: t("Run them all, up to a limit") },
];
const overlap = { name: "overlap", label: t("If the last run is still working"), kind: "choice" } as const;
const otherwise: FieldSpec[] = [
  { ...overlap, options: OVERLAPS, when: (values) => !newChat(values) },
  {
    ...overlap,
    options: [...OVERLAPS, { value: "parallel", label: t("Start another chat beside it") }],
    when: newChat,
  },
  {
    name: "missed",
    label: t("Times missed while the server was down"),
    kind: "choice",
    options: MISSED,
  },
  {
    name: "most_missed",
    label: t("At most so many missed times"),
    kind: "number",
    when: (values) => values.missed === "all",
  },
];
