/** What the chat is about, and what it cost. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { ChildLink } from "../tools/agents.tsx";
import { fullTime, money, tokens } from "../ui/format.ts";
import { WorkspaceContext } from "./WorkspaceContext.tsx";

const selectCard = (chat: ChatState) => chat.card;

interface CostLine {
  chat_id: string;
  model: string | null;
  purpose?: "answer" | "advisor" | "words";
  input: number;
  output: number;
  cache_read: number;
  cost: number;
  unpriced_calls: number;
}
export function Summary() {
  const live = useLiveChat();
  const card = useChat(selectCard);
  const { data } = useQuery({
    queryKey: ["cost", live.id, card?.cost, card?.updated_at],
    queryFn: () => api.get(`/chats/${live.id}/cost`),
    retry: false,
    placeholderData: (before) => before,
  });
  if (!card) return null;
  const lines = data?.items ?? [];
  const unpriced = data?.unpriced_calls ?? card.unpriced_calls ?? 0;
  return (
    <div className="panel-pad stack">
      {card.summary ? (
        <Markdown text={card.summary} />
      ) : (
        <p className="quiet">{t("A summary appears after the first turn.")}</p>
      )}
      <dl className="facts">
        <Fact
          name={t("Cost")}
          value={`${money(data?.cost ?? card.cost ?? 0)}${unpriced ? ` ${t("+ {count, plural, one {# call} other {# calls}} without a price", { count: unpriced })}` : ""}`}
        />
        {card.context_tokens && card.context_limit && (
          <Fact
            name={t("Context")}
            value={t("{context_tokens} of {context_limit} tokens", {
              context_tokens: tokens(card.context_tokens),
              context_limit: tokens(card.context_limit),
            })}
          />
        )}
        <Fact name={t("Model")} value={card.model ?? t("default")} />
        <Fact name={t("Started")} value={fullTime(card.created_at)} />
        {Object.entries(card.labels ?? {}).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      {lines.length > 0 && <CostTable lines={lines} />}
      {card.workspace_id && <WorkspaceContext />}
      {(card.children ?? []).length > 0 && (
        <section className="stack">
          <h3>{t("Agents")}</h3>
          {card.children?.map((id) => (
            <ChildLink key={id} id={id} fallback={t("Agent")} />
          ))}
        </section>
      )}
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function CostTable({ lines }: { lines: readonly CostLine[] }) {
  return (
    <table className="table-plain">
      <thead>
        <tr>
          <th>{t("Model")}</th>
          <th>{t("In")}</th>
          <th>{t("Cached")}</th>
          <th>{t("Out")}</th>
          <th>{t("Cost")}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={`${line.chat_id}${line.model}${line.purpose}`}>
            <td>{line.purpose === "words" ? t("Titles and summaries") : line.model}</td>
            <td>{tokens(line.input)}</td>
            <td>{tokens(line.cache_read)}</td>
            <td>{tokens(line.output)}</td>
            <td>{line.unpriced_calls > 0 && line.cost === 0 ? t("unpriced") : money(line.cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
