import { ChevronDown, RefreshCw } from "lucide-react";
import { useCallback } from "react";
import { api } from "../api/client.ts";
import { contentOf } from "../chat/model/said.ts";
import type { ChatState } from "../chat/model/state.ts";
import { shownMessages } from "../chat/model/stretch.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { useReading } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { useModels } from "../page/models.ts";
import { Button } from "../ui/Button.tsx";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useFilesBack } from "./filesBack.tsx";

/** Ask the same again, of the same model or of another. The answer that was given stays as another version. */
export function Regenerate({ number, model }: { number: number; model: string | undefined }) {
  const live = useLiveChat();
  const reading = useReading();
  const models = useModels();
  const { complain } = useToasts();
  const [ask, dialog] = useFilesBack(live.id);
  const question = useChat(useCallback((chat: ChatState) => questionOf(chat, number), [number]));
  if (!question || reading) return null;
  const put = async (other?: string) => {
    const wish = await ask(number);
    if (!wish) return;
    const said = { content: contentOf(question.parts), model: other };
    await api.put(`/chats/${live.id}/messages/${number}`, { ...said, ...wish });
  };
  const again = (other?: string) => void put(other).catch(complain);
  const others = models.filter((entry) => entry.name !== model);
  return (
    <>
      <Button look="ghost" small label={t("Regenerate answer")} onClick={() => again()}>
        <RefreshCw />
      </Button>
      {others.length > 0 && (
        <Menu
          label={t("Regenerate with another model")}
          className="button button-ghost button-small button-icon button-narrow"
          button={<ChevronDown aria-hidden />}
        >
          {(close) =>
            others.map((entry) => (
              <MenuItem
                key={entry.name}
                hint={entry.provider}
                onSelect={() => {
                  close();
                  again(entry.name);
                }}
              >
                {entry.display_name ?? entry.name}
              </MenuItem>
            ))
          }
        </Menu>
      )}
      {dialog}
    </>
  );
}

/** What a person asked, where it is on the page. */
function questionOf(chat: ChatState, number: number) {
  return shownMessages(chat).find(
    (message) =>
      message.number === number && message.role === "user" && (message.kind ?? "ordinary") === "ordinary",
  );
}
