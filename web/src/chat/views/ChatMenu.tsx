import {
  Archive,
  ArchiveRestore,
  Blocks,
  Download,
  Ellipsis,
  Pin,
  PinOff,
  Search,
  Share2,
  Sparkles,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { pathOf } from "../../api/client.ts";
import type { ChatCard } from "../../api/types.ts";
import { t } from "../../language/catalogue.ts";
import { useChatVerbs } from "../../list/verbs.ts";
import { keyNames, pressShortcut } from "../../page/shortcuts.ts";
import { Menu, MenuItem } from "../../ui/Menu.tsx";

const ShareDialog = lazy(() => import("./ShareDialog.tsx"));
const ToolsDialog = lazy(() => import("./ToolsDialog.tsx"));

/** What can be done to a chat. Of somebody else's, one can keep a copy. */
export function ChatMenu({ card, mine }: { card: ChatCard; mine: boolean }) {
  const verbs = useChatVerbs(card);
  const [open, setOpen] = useState<"nothing" | "share" | "tools">("nothing");
  const close = () => setOpen("nothing");
  const save = (format: string) => window.open(pathOf(`/chats/${card.id}/export`, { format }));
  return (
    <>
      <Menu
        label={t("Chat actions")}
        className="button button-ghost button-icon"
        button={<Ellipsis aria-hidden />}
        align="end"
      >
        {(shut) => {
          const then = (act: () => void) => () => {
            shut();
            act();
          };
          return (
            <>
              <MenuItem
                icon={<Search />}
                hint={keyNames("⌘", "F")}
                onSelect={then(() => pressShortcut("find"))}
              >
                {t("Find in the chat")}
              </MenuItem>
              {mine && (
                <>
                  <MenuItem icon={<Share2 />} onSelect={then(() => setOpen("share"))}>
                    {t("Share")}
                  </MenuItem>
                  <MenuItem icon={<Blocks />} onSelect={then(() => setOpen("tools"))}>
                    {t("Tools")}
                  </MenuItem>
                  <MenuItem icon={<Sparkles />} onSelect={then(verbs.retitle)}>
                    {t("Suggest a title")}
                  </MenuItem>
                  <MenuItem
                    icon={card.pin ? <PinOff /> : <Pin />}
                    onSelect={then(() => verbs.pin(card.pin ? 0 : 1))}
                  >
                    {card.pin ? t("Unpin") : t("Pin")}
                  </MenuItem>
                </>
              )}
              <MenuItem icon={<Download />} onSelect={then(() => save("markdown"))}>
                {t("Export as Markdown")}
              </MenuItem>
              <MenuItem icon={<Download />} onSelect={then(() => save("json"))}>
                {t("Export as JSON")}
              </MenuItem>
              {mine && (
                <>
                  <div className="menu-line" />
                  <MenuItem
                    icon={card.archived ? <ArchiveRestore /> : <Archive />}
                    onSelect={then(() => verbs.archive(!card.archived))}
                  >
                    {card.archived ? t("Unarchive") : t("Archive")}
                  </MenuItem>
                </>
              )}
            </>
          );
        }}
      </Menu>
      <Suspense>
        {open === "share" && <ShareDialog chat={card.id} onClose={close} />}
        {open === "tools" && <ToolsDialog chat={card.id} onClose={close} />}
      </Suspense>
    </>
  );
}
