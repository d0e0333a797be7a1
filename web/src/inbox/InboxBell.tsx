/** The bell: what finished, what failed, what needs you. */

import { useQueryClient } from "@tanstack/react-query";
import { AtSign, Bell, CircleAlert, CircleCheck, CircleHelp, Share2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { api } from "../api/client.ts";
import type { InboxEntry } from "../api/types.ts";
import { useCard, useCards } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { useDismissed } from "../list/dismissed.ts";
import { ago } from "../ui/format.ts";
import { Menu } from "../ui/Menu.tsx";
import { INBOX_KEY, useInbox } from "./inbox.ts";
import { askToNotify, canAskToNotify } from "./notify.ts";
import { sorted, wordsOf } from "./sorted.ts";
import "./inbox.css";

const ICONS = {
  finished: CircleCheck,
  failed: CircleAlert,
  needs_you: CircleHelp,
  shared: Share2,
  schedule_paused: Bell,
  mention: AtSign,
  digest: Bell,
};

export function InboxBell() {
  const { entries, unread } = useInbox();
  const cards = useCards();
  const dismissed = useDismissed();
  const client = useQueryClient();
  const [asked, setAsked] = useState(!canAskToNotify());
  const again = () => void client.invalidateQueries({ queryKey: INBOX_KEY });
  const button = (
    <>
      <Bell aria-hidden />
      {unread > 0 && <span className="bell-count">{unread > 99 ? "99+" : unread}</span>}
    </>
  );
  return (
    <Menu
      label={t("Inbox: {unread} unread", { unread })}
      className="button button-ghost button-icon bell"
      button={button}
    >
      {(close) => (
        <div className="inbox">
          <div className="inbox-head">
            <strong className="grow">{t("Inbox")}</strong>
            {unread > 0 && (
              <button
                type="button"
                role="menuitem"
                className="link"
                onClick={() => void api.post("/inbox/read-all").then(again)}
              >
                {t("Mark all read")}
              </button>
            )}
          </div>
          {!asked && (
            <button
              type="button"
              role="menuitem"
              className="inbox-ask"
              onClick={() => void askToNotify().then(() => setAsked(true))}
            >
              {t("Turn on notifications")}
            </button>
          )}
          {sorted(entries, cards, dismissed).map(({ name, list }) => (
            <div key={name} role="group" aria-label={name}>
              <p className="menu-heading">{name}</p>
              {list.map((entry) => (
                <Entry key={entry.id} entry={entry} onOpen={close} onRead={again} />
              ))}
            </div>
          ))}
          {entries.length === 0 && (
            <p className="chat-list-empty">
              {t("Nothing yet. Finished chats and requests for you appear here.")}
            </p>
          )}
        </div>
      )}
    </Menu>
  );
}

function Entry({ entry, onOpen, onRead }: { entry: InboxEntry; onOpen: () => void; onRead: () => void }) {
  const [, go] = useLocation();
  const card = useCard(entry.chat_id ?? "");
  const Icon = ICONS[entry.kind] ?? Bell;
  const open = () => {
    if (!entry.read_at) void api.post(`/inbox/${entry.id}/read`).then(onRead);
    onOpen();
    if (entry.chat_id) go(`/chats/${entry.chat_id}`);
  };
  return (
    <button
      type="button"
      role="menuitem"
      data-first
      className={`inbox-entry inbox-${entry.kind} ${entry.read_at ? "" : "inbox-unread"}`}
      onClick={open}
    >
      <Icon aria-hidden />
      <span className="grow">
        <span className="truncate inbox-title">{card?.title || entry.title}</span>
        <span className="inbox-text">{wordsOf(entry, card)}</span>
      </span>
      <time className="quiet small" dateTime={entry.created_at}>
        {ago(entry.created_at)}
      </time>
    </button>
  );
}
