import {
  Archive,
  ArchiveRestore,
  BellOff,
  ChevronRight,
  Ellipsis,
  ListChecks,
  Pencil,
  Pin,
  PinOff,
  Sparkles,
  Tags,
  Trash2,
} from "lucide-react";
import {
  type HTMLAttributes,
  lazy,
  memo,
  type RefObject,
  Suspense,
  useContext,
  useRef,
  useState,
} from "react";
import { Link, useLocation, useSearch } from "wouter";
import type { ChatCard } from "../api/types.ts";
import { useCards } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { withFields } from "../page/address.ts";
import { useMe } from "../page/session.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { useDismiss } from "./dismissed.ts";
import { addressOf } from "./found.ts";
import { subtitleOf } from "./groups.ts";
import { Snippet } from "./Snippet.tsx";
import { StatusIcon } from "./StatusIcon.tsx";
import { flipped, SelectingContext } from "./selecting.ts";
import { TitleEditor } from "./TitleEditor.tsx";
import { type ChatVerbs, useChatVerbs } from "./verbs.ts";

const LabelDialog = lazy(() => import("./LabelDialog.tsx"));

interface Props {
  card: ChatCard;
  current: boolean;
  /** Given to pinned rows, which can be moved. */
  handle?: HTMLAttributes<HTMLElement>;
  /** Whether it stands there because it needs somebody. */
  needs?: boolean;
}

export const ChatRow = memo(function ChatRow({ card, current, handle, needs }: Props) {
  const selecting = useContext(SelectingContext);
  const row = useRef<HTMLDivElement>(null);
  const verbs = useChatVerbs(card);
  const me = useMe();
  const [renaming, setRenaming] = useState(false);
  const [chosen, setChosen] = useState<boolean | null>(null);
  // A version is one of the open chat, not of the others.
  const filter = withFields(useSearch(), { version: null, message: null, words: null });
  const children = card.children ?? [];
  const [location] = useLocation();
  /** Open as somebody left it; and where the chat that is read is one of them. */
  const open = chosen ?? children.some((id) => location === `/chats/${id}`);
  if (renaming) return <TitleEditor card={card} onDone={() => setRenaming(false)} />;
  return (
    <li data-reorder={card.id}>
      <div
        ref={row}
        className={`chat-row ${current ? "chat-row-current" : ""} ${card.unread ? "chat-row-unread" : ""}`}
      >
        {selecting.ids && !card.parent_id && card.owner_id === me.id ? (
          <label className="chat-row-check">
            <input
              type="checkbox"
              aria-label={t("Select {title}", { title: card.title || t("the chat") })}
              checked={selecting.ids.has(card.id)}
              onChange={() => selecting.ids && selecting.set(flipped(selecting.ids, card.id))}
            />
          </label>
        ) : handle ? (
          <button
            type="button"
            className="chat-row-grip"
            aria-label={t("Move {title}: drag, or use the arrow keys", {
              title: card.title || t("the chat"),
            })}
            {...handle}
          >
            <StatusIcon card={card} />
          </button>
        ) : (
          <StatusIcon card={card} />
        )}
        <Link
          href={addressOf(card, filter)}
          className="chat-row-link"
          aria-current={current ? "page" : undefined}
        >
          <span className="truncate chat-row-title" dir="auto">
            {card.title || t("New chat")}
          </span>
          <span className="truncate chat-row-subtitle given">
            {card.snippet ? <Snippet text={card.snippet} /> : subtitleOf(card)}
          </span>
        </Link>
        {card.diff && (card.diff.added || card.diff.removed) ? (
          <span className="chat-row-diff">
            <span className="added">+{card.diff.added ?? 0}</span>{" "}
            <span className="removed">−{card.diff.removed ?? 0}</span>
          </span>
        ) : null}
        {children.length > 0 && (
          <button
            type="button"
            className="chat-row-fold"
            aria-expanded={open}
            aria-label={t("{count, plural, one {# agent} other {# agents}}", { count: children.length })}
            onClick={() => setChosen(!open)}
          >
            <ChevronRight aria-hidden />
          </button>
        )}
        {card.owner_id === me.id && (
          <RowMenu card={card} verbs={verbs} needs={needs} area={row} onRename={() => setRenaming(true)} />
        )}
      </div>
      {open && <ChildRows ids={children} />}
    </li>
  );
});

function ChildRows({ ids }: { ids: readonly string[] }) {
  const cards = useCards();
  const [location] = useLocation();
  return (
    <ul className="chat-children">
      {ids.map((id) => {
        const card = cards.get(id);
        return card ? <ChatRow key={id} card={card} current={location === `/chats/${id}`} /> : null;
      })}
    </ul>
  );
}

interface MenuProps {
  card: ChatCard;
  verbs: ChatVerbs;
  needs?: boolean;
  area: RefObject<HTMLElement | null>;
  onRename: () => void;
}

function RowMenu({ card, verbs, needs, area, onRename }: MenuProps) {
  const dismiss = useDismiss();
  const selecting = useContext(SelectingContext);
  const [labelling, setLabelling] = useState(false);
  return (
    <>
      <Menu
        area={area}
        label={t("Actions for {title}", { title: card.title || t("the chat") })}
        className="chat-row-more"
        button={<Ellipsis aria-hidden />}
        align="end"
      >
        {(close) => {
          const then = (verb: () => void) => () => {
            close();
            verb();
          };
          return (
            <>
              <MenuItem icon={<Pencil />} onSelect={then(onRename)}>
                {t("Rename")}
              </MenuItem>
              {needs && (
                <MenuItem icon={<BellOff />} onSelect={then(() => dismiss(card))}>
                  {t("Dismiss from Needs you")}
                </MenuItem>
              )}
              <MenuItem icon={<Sparkles />} onSelect={then(verbs.retitle)}>
                {t("Suggest a title")}
              </MenuItem>
              {!card.parent_id && (
                <MenuItem
                  icon={card.pin ? <PinOff /> : <Pin />}
                  onSelect={then(() => verbs.pin(card.pin ? 0 : 1))}
                >
                  {card.pin ? t("Unpin") : t("Pin")}
                </MenuItem>
              )}
              {!card.parent_id && (
                <MenuItem icon={<Tags />} onSelect={then(() => setLabelling(true))}>
                  {t("Labels")}
                </MenuItem>
              )}
              {!card.parent_id && (
                <MenuItem icon={<ListChecks />} onSelect={then(() => selecting.set(new Set([card.id])))}>
                  {t("Select")}
                </MenuItem>
              )}
              {!card.parent_id && (
                <MenuItem
                  icon={card.archived ? <ArchiveRestore /> : <Archive />}
                  onSelect={then(() => verbs.archive(!card.archived))}
                >
                  {card.archived ? t("Unarchive") : t("Archive")}
                </MenuItem>
              )}
              {card.archived && <DeleteItem onDelete={then(verbs.remove)} />}
            </>
          );
        }}
      </Menu>
      <Suspense>{labelling && <LabelDialog ids={[card.id]} onClose={() => setLabelling(false)} />}</Suspense>
    </>
  );
}

/** It takes a second choice: a deleted chat does not come back. */
function DeleteItem({ onDelete }: { onDelete: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <MenuItem danger icon={<Trash2 />} onSelect={sure ? onDelete : () => setSure(true)}>
      {sure ? t("Delete permanently") : t("Delete")}
    </MenuItem>
  );
}
