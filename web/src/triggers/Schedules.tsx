/** What is said by itself, and when. */

import { useQueryClient } from "@tanstack/react-query";
import { CalendarClock, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { Schedule } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { type Resource, useResource } from "../settings/resource.ts";
import { Nothing, Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { wallTime } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { ScheduleForm } from "./ScheduleForm.tsx";
import { ScheduleRuns } from "./ScheduleRuns.tsx";
import { newSchedule, shownIn } from "./scheduleValues.ts";
import "./triggers.css";

type Open = { kind: "nothing" } | { kind: "add" } | { kind: "change" | "runs"; schedule: Schedule };

export function Schedules() {
  const schedules = useResource("/schedules");
  const [open, setOpen] = useState<Open>({ kind: "nothing" });
  const close = () => setOpen({ kind: "nothing" });
  const add = () => setOpen({ kind: "add" });
  return (
    <Section
      title={t("Schedules")}
      about={t("Chats that start by themselves at certain times, with your models, keys and budget.")}
      action={
        <Button onClick={add}>
          <Plus /> {t("Add schedule")}
        </Button>
      }
    >
      <Problem error={schedules.error} />
      <ul className="rows">
        {schedules.items.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} schedules={schedules} onOpen={setOpen} />
        ))}
      </ul>
      {!schedules.loading && !schedules.error && schedules.items.length === 0 && (
        <Nothing
          icon={CalendarClock}
          title={t("No schedules yet")}
          action={
            <Button look="primary" onClick={add}>
              <Plus /> {t("Add your first schedule")}
            </Button>
          }
        >
          {t(
            "Say what the agent should do and when: every weekday at nine, on the last Friday of a month, every hour. Each time, a chat starts or one of yours goes on.",
          )}
        </Nothing>
      )}
      {open.kind === "add" && (
        <Dialog title={t("Add schedule")} onClose={close}>
          <ScheduleForm
            initial={newSchedule()}
            submit={t("Add")}
            onSubmit={schedules.create}
            onDone={close}
          />
        </Dialog>
      )}
      {open.kind === "change" && (
        <Dialog title={t("Edit {name}", { name: open.schedule.name })} onClose={close}>
          <ScheduleForm
            initial={shownIn(open.schedule)}
            submit={t("Save")}
            onSubmit={(values) => schedules.update(open.schedule.id, values)}
            onDone={close}
          />
        </Dialog>
      )}
      {open.kind === "runs" && (
        <Dialog title={t("Runs of {name}", { name: open.schedule.name })} onClose={close}>
          <ScheduleRuns schedule={open.schedule} />
        </Dialog>
      )}
    </Section>
  );
}

interface RowProps {
  schedule: Schedule;
  schedules: Resource<"/schedules">;
  onOpen: (open: Open) => void;
}

function ScheduleRow({ schedule, schedules, onOpen }: RowProps) {
  const { id, name, paused_at } = schedule;
  const client = useQueryClient();
  const { say, complain } = useToasts();
  const run = async () => {
    await api.post(`/schedules/${id}/runs`, {});
    say(t("{name} starts now.", { name }));
    await client.invalidateQueries();
  };
  return (
    <li className="card row-card">
      <div className="grow">
        <strong>{name}</strong> <Standing schedule={schedule} />
        <div className="quiet small mono schedule-rule">{ruleOf(schedule)}</div>
        <div className="quiet small">
          {schedule.next_at
            ? t("next on {time}", { time: wallTime(schedule.next_at, schedule.zone) })
            : (schedule.pause_reason ?? (paused_at ? "" : t("no time is left")))}
          {schedule.last_chat_id && (
            <>
              {" "}
              <Link href={`/chats/${schedule.last_chat_id}`}>{t("Last chat")}</Link>
            </>
          )}
        </div>
      </div>
      <Button small onClick={() => void run().catch(complain)}>
        {t("Run now")}
      </Button>
      <Button small onClick={() => void schedules.update(id, { paused: !paused_at }).catch(complain)}>
        {paused_at ? t("Resume") : t("Pause")}
      </Button>
      <Button small onClick={() => onOpen({ kind: "runs", schedule })}>
        {t("History")}
      </Button>
      <Button
        look="ghost"
        label={t("Edit {name}", { name })}
        onClick={() => onOpen({ kind: "change", schedule })}
      >
        <Pencil />
      </Button>
      <RemoveButton label={t("Remove {name}", { name })} onRemove={() => schedules.remove(id)} />
    </li>
  );
}

/** Without the moment that it counts from, which the server adds. */
function ruleOf({ rule }: Schedule): string {
  return rule.replace(/^DTSTART.*\n(RRULE:)?/, "");
}

function Standing({ schedule: { paused_at, failures } }: { schedule: Schedule }) {
  if (paused_at) return <span className="pill pill-warn">{t("paused")}</span>;
  if (failures === 0) return null;
  return (
    <span className="pill pill-bad">
      {t("{count, plural, one {failed once} other {failed # times in a row}}", { count: failures })}
    </span>
  );
}
