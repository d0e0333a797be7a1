import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { PathOf } from "../api/operations.ts";
import type { Trigger, TriggerDelivery } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Problem } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Facts } from "../ui/Facts.tsx";
import { TextArea } from "../ui/Field.tsx";
import { ago } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";

const LOOK_AGAIN_MS = 2_000;
const STATES: Record<TriggerDelivery["state"], { words: string; look: string }> = {
  due: { words: t("on its way"), look: "" },
  begun: { words: t("delivered"), look: "pill-good" },
  failed: { words: t("failed"), look: "pill-bad" },
  skipped: { words: t("skipped"), look: "pill-warn" },
};

/** What was sent to a trigger, newest first; one takes it again, and makes up something to try it out with. */
export function Incoming({ trigger }: { trigger: Trigger }) {
  const path = `/triggers/${trigger.id}/deliveries` as const;
  const client = useQueryClient();
  const { complain } = useToasts();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["incoming", trigger.id],
    queryFn: ({ pageParam }) => api.get(path, { cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: LOOK_AGAIN_MS,
    retry: false,
  });
  const came = data?.pages.flatMap((page) => page.items) ?? [];
  const ask = (to: PathOf<"post">, body: unknown) =>
    api
      .post(to, body)
      .then(() => client.invalidateQueries({ queryKey: ["incoming", trigger.id] }))
      .catch(complain);
  return (
    <div className="stack">
      <Trial onSend={(body) => void ask(`/triggers/${trigger.id}/test`, { body })} />
      <Problem error={error} />
      {data && came.length === 0 && <p className="quiet">{t("No deliveries in the last 30 days.")}</p>}
      <ul className="rows">
        {came.map((each) => (
          <li key={each.id} className="delivery">
            <div className="grow">
              <span className={`pill ${STATES[each.state].look}`}>{STATES[each.state].words}</span>{" "}
              {each.chat_id && <Link href={`/chats/${each.chat_id}`}>{t("Open chat")}</Link>}
              <div className="quiet small">
                <Facts of={[ago(each.created_at), each.name]} />
              </div>
              {each.detail && <div className="quiet small">{each.detail}</div>}
            </div>
            {each.state !== "due" && (
              <Button small onClick={() => void ask(`${path}/${each.id}/replay`, {})}>
                {t("Replay")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t("Show more")}</Button>}
    </div>
  );
}

function Trial({ onSend }: { onSend: (body: unknown) => void }) {
  const [text, setText] = useState("{}");
  const [wrong, setWrong] = useState("");
  const send = () => {
    try {
      const body: unknown = JSON.parse(text);
      setWrong("");
      onSend(body);
    } catch {
      setWrong(t("This is not JSON."));
    }
  };
  return (
    <div className="stack">
      <TextArea
        label={t("Test with this body")}
        className="input mono"
        rows={3}
        spellCheck={false}
        value={text}
        error={wrong || undefined}
        onChange={(event) => setText(event.target.value)}
      />
      <Button small onClick={send}>
        {t("Send a test")}
      </Button>
    </div>
  );
}
