import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { PathOf } from "../api/operations.ts";
import type { Outgoing, Webhook } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Problem } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Facts } from "../ui/Facts.tsx";
import { ago, momentOf } from "../ui/format.ts";
import { Segments } from "../ui/Segments.tsx";
import { useToasts } from "../ui/Toasts.tsx";

const LOOK_AGAIN_MS = 2_000;
const EVENTS: Record<string, string> = {
  "chat.finished": t("Turn finished"),
  "chat.failed": t("Turn failed"),
  "chat.needs_you": t("Needs you"),
  "chat.message": t("Message"),
  "webhook.test": t("Test"),
};
const STATES: Record<Outgoing["state"], { words: string; look: string }> = {
  pending: { words: t("on its way"), look: "" },
  delivered: { words: t("delivered"), look: "pill-good" },
  dead: { words: t("given up"), look: "pill-bad" },
};
const SHOWN = [
  { value: "all", label: t("All") },
  { value: "dead", label: t("Given up") },
] as const;
type Shown = (typeof SHOWN)[number]["value"];

export function eventName(event: string): string {
  return EVENTS[event] ?? event;
}

/** What a webhook was told or is to be told, newest first, and what to do about it. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [shown, setShown] = useState<Shown>("all");
  const path = `/webhooks/${webhook.id}/deliveries` as const;
  const client = useQueryClient();
  const { complain } = useToasts();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["outgoing", webhook.id, shown],
    queryFn: ({ pageParam }) =>
      api.get(path, { cursor: pageParam, state: shown === "dead" ? shown : undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: LOOK_AGAIN_MS,
    retry: false,
  });
  const told = data?.pages.flatMap((page) => page.items) ?? [];
  const ask = (to: PathOf<"post">) =>
    void api
      .post(to, {})
      .then(() => client.invalidateQueries({ queryKey: ["outgoing", webhook.id] }))
      .catch(complain);
  return (
    <div className="stack">
      <div className="spread wrap">
        <Segments label={t("Show")} options={SHOWN} value={shown} onChange={setShown} />
        <Button small disabled={!webhook.enabled} onClick={() => ask(`/webhooks/${webhook.id}/test`)}>
          {t("Send a test")}
        </Button>
      </div>
      <Problem error={error} />
      {data && told.length === 0 && (
        <p className="quiet">
          {shown === "dead" ? t("Nothing was given up.") : t("No deliveries in the last 7 days.")}
        </p>
      )}
      <ul className="rows">
        {told.map((each) => (
          <Delivery key={each.id} told={each} onReplay={() => ask(`${path}/${each.id}/replay`)} />
        ))}
      </ul>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t("Show more")}</Button>}
    </div>
  );
}

function Delivery({ told, onReplay }: { told: Outgoing; onReplay: () => void }) {
  const waits = told.state === "pending" && told.attempts > 0;
  return (
    <li className="delivery">
      <div className="grow">
        <span className={`pill ${STATES[told.state].look}`}>{STATES[told.state].words}</span>{" "}
        {eventName(told.event)}{" "}
        {told.chat_id && <Link href={`/chats/${told.chat_id}`}>{t("Open chat")}</Link>}
        <div className="quiet small">
          <Facts
            of={[
              ago(told.created_at),
              told.status ? t("HTTP status {status}", { status: String(told.status) }) : null,
              told.attempts > 1 &&
                t("{count, plural, one {# attempt} other {# attempts}}", { count: told.attempts }),
              waits && t("again at {time}", { time: momentOf(told.due_at) }),
            ]}
          />
        </div>
        {told.detail && <div className="quiet small">{told.detail}</div>}
      </div>
      {told.state !== "pending" && (
        <Button small onClick={onReplay}>
          {t("Send again")}
        </Button>
      )}
    </li>
  );
}
