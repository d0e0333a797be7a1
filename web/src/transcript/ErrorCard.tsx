import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { api } from "../api/client.ts";
import type { ChatError } from "../api/types.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { Button } from "../ui/Button.tsx";
import { tokens } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { adviceFor } from "./advice.ts";

/** Models with the largest windows first: the same question, asked of one of them. */
function OtherModel({ onModel }: { onModel: (name: string) => void }) {
  const models = useModels();
  const card = useChat(selectCard);
  const others = models
    .filter((model) => model.name !== card?.model)
    .sort((one, other) => (other.context_window ?? 0) - (one.context_window ?? 0));
  if (others.length === 0) return null;
  return (
    <Menu label={t("Retry with another model")} className="button button-plain" words={t("Another model")}>
      {(close) =>
        others.map((model) => (
          <MenuItem
            key={model.name}
            hint={model.context_window ? tokens(model.context_window) : undefined}
            onSelect={() => {
              close();
              onModel(model.name);
            }}
          >
            {model.display_name ?? model.name}
          </MenuItem>
        ))
      }
    </Menu>
  );
}

const selectCard = (chat: ChatState) => chat.card;
/** Nothing becomes shorter where nothing was answered yet: then the first message is too long. */
const selectAnswered = (chat: ChatState) =>
  chat.messages.some(
    (message) => message.role === "assistant" && (message.kind ?? "ordinary") === "ordinary",
  );

/** What happened, what to do, and a button that does it. */
export function ErrorCard({ error }: { error: ChatError }) {
  const live = useLiveChat();
  const mine = useMine();
  const { complain } = useToasts();
  const overflow = error.kind === "context_overflow";
  const compactable = useChat(selectAnswered) && overflow;
  const retry = async (body: object, model?: string) => {
    try {
      if (model) await api.patch(`/chats/${live.id}`, { model });
      await api.post(`/chats/${live.id}/retry`, body);
    } catch (problem) {
      complain(problem);
    }
  };
  const advice = adviceFor(error.kind, mayAdminister(useMe()));
  const facts = [
    error.provider,
    error.status_code && t("status {status_code}", { status_code: error.status_code }),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <section className="error-card" aria-label={t("Error")}>
      <CircleAlert aria-hidden />
      <div className="grow stack">
        <div>
          <h3 className="given">{error.message}</h3>
          <p>{advice.what}</p>
          {facts && <p className="quiet small">{facts}</p>}
        </div>
        {error.detail && (
          <details>
            <summary>{t("Details")}</summary>
            <pre>{error.detail}</pre>
          </details>
        )}
        {mine && (
          <div className="spread wrap">
            {compactable && (
              <Button look="primary" onClick={() => retry({ compact: true })}>
                {t("Compact and retry")}
              </Button>
            )}
            <Button look={compactable ? "plain" : "primary"} onClick={() => retry({})}>
              {t("Retry")}
            </Button>
            {overflow && <OtherModel onModel={(model) => retry({}, model)} />}
            {advice.link && (
              <Link href={advice.link.to} className="button button-plain">
                {advice.link.words}
              </Link>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
