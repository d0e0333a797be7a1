/** What the network of the workspace refused since the last question, and who may let it through. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ShieldX } from "lucide-react";
import { api } from "../api/client.ts";
import type { Answer } from "../api/operations.ts";
import type { Message } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

type RefusedRequest = Answer<"get", "/chats/{chat_id}/network">["refused"][number];

const MARK = "[The network refused ";
const MOST = 5;
const selectMessages = (chat: ChatState) => chat.messages;

/** The question that the turn is about, and whether a command since was told of a refusal. */
export function refusedSince(messages: readonly Message[]): string | undefined {
  const asked = messages.findLastIndex(
    (message) => message.role === "user" && (message.kind ?? "ordinary") === "ordinary",
  );
  const told = messages
    .slice(asked + 1)
    .some((message) =>
      message.parts.some((part) => part.type === "tool_result" && String(part.result ?? "").includes(MARK)),
    );
  return told ? (messages[asked]?.created_at ?? "") : undefined;
}

export function RefusedRequests() {
  const live = useLiveChat();
  const messages = useChat(selectMessages);
  const since = refusedSince(messages);
  const { data } = useQuery({
    queryKey: ["network", live.id, messages.length],
    queryFn: () => api.get(`/chats/${live.id}/network`),
    enabled: since !== undefined,
    retry: false,
  });
  if (since === undefined || !data) return null;
  const known = data.rules.map((entry) => JSON.stringify(entry.rule));
  const open = data.refused
    .filter((entry) => Date.parse(entry.at) >= Date.parse(since))
    .filter((entry) => !entry.rule || !known.includes(JSON.stringify(entry.rule)))
    .slice(0, MOST);
  return open.map((entry) => (
    <Refused key={`${entry.method} ${entry.host}:${entry.port}${entry.path}`} entry={entry} />
  ));
}

function Refused({ entry }: { entry: RefusedRequest }) {
  const live = useLiveChat();
  const mine = useMine();
  const me = useMe();
  const client = useQueryClient();
  const { say, complain } = useToasts();
  const what = `${entry.method} ${entry.host}${entry.port === 443 ? "" : `:${entry.port}`}${entry.path}`;
  const allow = async (asked: Promise<unknown>) => {
    try {
      await asked;
      await client.invalidateQueries({ queryKey: ["network", live.id] });
      say(t("Allowed. Ask the agent to try again."));
    } catch (problem) {
      complain(problem);
    }
  };
  const here = (body: object) => allow(api.post(`/chats/${live.id}/network/rules`, body));
  return (
    <section className="error-card" aria-label={t("Request refused by the network")}>
      <ShieldX aria-hidden />
      <div className="grow stack">
        <div>
          <h3>{t("The workspace's network refused a request.")}</h3>
          <p>
            <code>{what}</code>
          </p>
          <p className="quiet small">{entry.reason}</p>
        </div>
        {mine && entry.rule && (
          <div className="spread wrap">
            <Button look="primary" onClick={() => here({ rule: entry.rule, once: true })}>
              {t("Allow once")}
            </Button>
            <Button onClick={() => here({ rule: entry.rule })}>{t("Allow in this chat")}</Button>
            {mayAdminister(me) && (
              <Button onClick={() => allow(api.post("/network/rules", { rule: entry.rule }))}>
                {t("Always allow")}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
