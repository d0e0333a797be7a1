import { GitBranch, Menu as MenuIcon, PanelRight } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { t } from "../../language/catalogue.ts";
import { TitleEditor } from "../../list/TitleEditor.tsx";
import { SandboxOf } from "../../page/Sandbox.tsx";
import { keyNames } from "../../page/shortcuts.ts";
import { PresentPeople } from "../../presence/Presence.tsx";
import { Button } from "../../ui/Button.tsx";
import type { ChatState } from "../model/state.ts";
import { useCard } from "../network/directory.ts";
import { useChat } from "../network/hooks.ts";
import { useMine } from "../network/reading.ts";
import { useStores } from "../network/stores.ts";
import { ChatMenu } from "./ChatMenu.tsx";

const selectCard = (chat: ChatState) => chat.card;

interface Props {
  panel: boolean;
  onPanel: () => void;
  onDrawer: () => void;
}

export function ChatHeader({ panel, onPanel, onDrawer }: Props) {
  const card = useChat(selectCard);
  const { directory } = useStores();
  const [renaming, setRenaming] = useState(false);
  const mine = useMine();
  const parent = useCard(card?.parent_id ?? "");
  useEffect(() => {
    document.title = card?.title ? t("{title} · Perdure", { title: card.title }) : "Perdure";
    if (card) directory.put([card]);
    return () => {
      document.title = "Perdure";
    };
  }, [card, directory]);
  return (
    <header className="chat-header">
      <Button look="ghost" className="drawer-button" label={t("Chats")} onClick={onDrawer}>
        <MenuIcon />
      </Button>
      {card?.parent_id && (
        <Link href={`/chats/${card.parent_id}`} className="chat-parent truncate">
          {parent?.title ?? t("Parent chat")} /
        </Link>
      )}
      {card && renaming ? (
        <ul className="grow">
          <TitleEditor card={card} onDone={() => setRenaming(false)} />
        </ul>
      ) : (
        <h1 className="truncate" dir="auto" title={card?.title}>
          {mine ? (
            <button
              type="button"
              onClick={() => setRenaming(true)}
              aria-label={t("Rename: {title}", { title: card?.title ?? "" })}
            >
              {card?.title ?? ""}
            </button>
          ) : (
            card?.title
          )}
        </h1>
      )}
      <span className="grow" />
      <PresentPeople />
      {!mine && <span className="pill">{t("Shared with you")}</span>}
      {card?.archived && <span className="pill">{t("Archived")}</span>}
      {card?.diff?.branch && (
        <span className="pill truncate header-branch">
          <GitBranch aria-hidden /> {card.diff.branch}
        </span>
      )}
      {card?.workspace_id && <SandboxOf workspace={card.workspace_id} />}
      {card && <ChatMenu card={card} mine={mine} />}
      <Button
        look="ghost"
        label={t("Panel")}
        aria-pressed={panel}
        title={t("Panel ({keys})", { keys: keyNames("⌘", ".") })}
        onClick={onPanel}
      >
        <PanelRight />
      </Button>
    </header>
  );
}
