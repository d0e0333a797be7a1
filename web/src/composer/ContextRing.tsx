import { ChevronsDownUp } from "lucide-react";
import { api } from "../api/client.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { percent, tokens } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { Ring } from "../ui/Ring.tsx";
import { useToasts } from "../ui/Toasts.tsx";

const selectCard = (chat: ChatState) => chat.card;

/** How full the model's window is, and a way to make room. */
export function ContextRing() {
  const live = useLiveChat();
  const card = useChat(selectCard);
  const { complain, say } = useToasts();
  if (!card?.context_tokens || !card.context_limit) return null;
  const share = card.context_tokens / card.context_limit;
  const words = t("{context_tokens} of {context_limit} tokens", {
    context_tokens: tokens(card.context_tokens),
    context_limit: tokens(card.context_limit),
  });
  const compact = () =>
    api
      .post(`/chats/${live.id}/compact`)
      .then(() => say(t("Compacting older messages.")))
      .catch(complain);
  return (
    <Menu
      label={t("Context: {words}", { words })}
      className="button button-ghost button-icon"
      button={<Ring share={share} />}
      align="end"
    >
      {(close) => (
        <>
          <p className="menu-heading">{t("{share} full: {words}", { share: percent(share), words })}</p>
          <MenuItem
            icon={<ChevronsDownUp />}
            onSelect={() => {
              close();
              void compact();
            }}
          >
            {t("Compact now")}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
