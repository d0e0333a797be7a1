/** What an agent lets begin by itself: whoever is asked sees the words, and when they would be said next. */

import { CalendarClock } from "lucide-react";
import { textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { NextTimes } from "../page/NextTimes.tsx";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

export const addSchedule: Renderer = {
  icon: CalendarClock,
  line: (fields, call) => ({
    verb: tense(call, t("Scheduling"), t("Scheduled")),
    object: textField(fields, "name"),
    prose: true,
    note: textField(fields, "rule") || undefined,
  }),
  Body: ({ call, fields }) => {
    const ahead = call.state.phase === "waiting" || call.state.phase === "running";
    return (
      <div className="stack">
        <p className="small">
          {fields.chat === "this" ? t("Each time in this chat:") : t("Each time in a new chat:")}
        </p>
        <Output text={textField(fields, "prompt")} />
        {ahead ? (
          <NextTimes rule={textField(fields, "rule")} zone={textField(fields, "zone") || "UTC"} />
        ) : (
          <Output text={outputOf(call)} />
        )}
      </div>
    );
  },
};

export const listSchedules: Renderer = {
  icon: CalendarClock,
  line: (_, call) => ({ verb: tense(call, t("Listing schedules"), t("Listed schedules")) }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const removeSchedule: Renderer = {
  icon: CalendarClock,
  line: (fields, call) => ({
    verb: tense(call, t("Removing schedule"), t("Removed schedule")),
    object: textField(fields, "schedule"),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
