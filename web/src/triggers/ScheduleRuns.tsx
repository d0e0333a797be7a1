import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { Schedule, ScheduleRun } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Problem } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { wallTime } from "../ui/format.ts";

const LOOK_AGAIN_MS = 2_000;
const STATES: Record<ScheduleRun["state"], { words: string; look: string }> = {
  due: { words: t("waiting"), look: "" },
  begun: { words: t("working"), look: "" },
  finished: { words: t("finished"), look: "pill-good" },
  failed: { words: t("failed"), look: "pill-bad" },
  skipped: { words: t("skipped"), look: "pill-warn" },
};

const isOver = ({ state }: ScheduleRun): boolean => state !== "due" && state !== "begun";

/** What became of each due time, newest first. */
export function ScheduleRuns({ schedule }: { schedule: Schedule }) {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["runs", schedule.id],
    queryFn: ({ pageParam }) => api.get(`/schedules/${schedule.id}/runs`, { cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.every((page) => page.items.every(isOver)) ? false : LOOK_AGAIN_MS,
    retry: false,
  });
  const runs = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="stack">
      <Problem error={error} />
      {data && runs.length === 0 && <p className="quiet">{t("It has not run yet.")}</p>}
      <ul className="rows">
        {runs.map((run) => (
          <li key={run.id}>
            <span className={`pill ${STATES[run.state].look}`}>{STATES[run.state].words}</span>{" "}
            {wallTime(run.due_at, schedule.zone)}
            {(run.times ?? 1) > 1 && (
              <span className="quiet small">
                {" "}
                {t("and {count, plural, one {# more time} other {# more times}} until {time}", {
                  count: (run.times ?? 1) - 1,
                  time: wallTime(run.last_due_at, schedule.zone),
                })}
              </span>
            )}{" "}
            {run.chat_id && <Link href={`/chats/${run.chat_id}`}>{t("Open chat")}</Link>}
            {run.detail && <div className="quiet small">{run.detail}</div>}
          </li>
        ))}
      </ul>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t("Show more")}</Button>}
    </div>
  );
}
