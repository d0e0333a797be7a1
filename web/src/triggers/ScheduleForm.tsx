/** The form of a schedule: what is said, when, where, and what happens when that does not go smoothly. */

import { t } from "../language/catalogue.ts";
import { NextTimes } from "../page/NextTimes.tsx";
import { type FieldSpec, SpecForm, type Values } from "../settings/form.tsx";
import { sentOf, zonesWith } from "./scheduleValues.ts";
import { newChat, useSpeechFields } from "./speechFields.ts";

interface Props {
  initial: Values;
  submit: string;
  onSubmit: (values: Values) => Promise<unknown>;
  onDone: () => void;
}

export function ScheduleForm({ initial, submit, onSubmit, onDone }: Props) {
  const where = useSpeechFields(initial);
  return (
    <SpecForm
      fields={[...when(String(initial.zone ?? "UTC")), ...where, ...otherwise]}
      initial={initial}
      submit={submit}
      onSubmit={(values) => onSubmit(sentOf(values))}
      onDone={onDone}
    />
  );
}

function when(zone: string): FieldSpec[] {
  return [
    { name: "name", label: t("Name"), required: true, placeholder: t("Look at the build") },
    { name: "prompt", label: t("Prompt"), kind: "area", required: true },
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
const overlap = { name: "overlap", label: t("If the previous run is still going"), kind: "choice" } as const;
const otherwise: FieldSpec[] = [
  { ...overlap, options: OVERLAPS, when: (values) => !newChat(values) },
  {
    ...overlap,
    options: [...OVERLAPS, { value: "parallel", label: t("Start another chat beside it") }],
    when: newChat,
  },
  {
    name: "missed",
    label: t("Runs missed while the server was down"),
    kind: "choice",
    options: MISSED,
  },
  {
    name: "most_missed",
    label: t("Max missed runs"),
    kind: "number",
    when: (values) => values.missed === "all",
  },
];
