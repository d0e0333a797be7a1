/** What the palette offers besides chats: what can be done to the open one, models, and every place to go. */

import {
  Archive,
  ArchiveRestore,
  Bot,
  ChevronsDownUp,
  ClipboardList,
  Download,
  GitFork,
  Moon,
  Pencil,
  Pin,
  PinOff,
  RotateCw,
  Sparkles,
  Square,
  SquarePen,
  Sun,
  SunMoon,
} from "lucide-react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { api, pathOf } from "../api/client.ts";
import type { ChatCard } from "../api/types.ts";
import { isBusy, phaseOf } from "../chat/model/phase.ts";
import { useFork } from "../chat/network/fork.ts";
import type { LiveChat } from "../chat/network/live.ts";
import { useStores } from "../chat/network/stores.ts";
import { asksBeforeStop } from "../composer/stopping.tsx";
import { t } from "../language/catalogue.ts";
import { useVerbs } from "../list/verbs.ts";
import { useModels } from "../page/models.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { store } from "../page/stored.ts";
import { setTheme } from "../page/theme.ts";
import { ADMIN_PLACES, PERSONAL_PLACES } from "../settings/places.ts";
import { useToasts } from "../ui/Toasts.tsx";

export interface Entry {
  key: string;
  group: string;
  /** Set where it does something to the open chat. */
  scope?: "chat";
  icon: ReactNode;
  words: string;
  /** Other words for it. */
  also?: string;
  snippet?: string;
  hint?: string;
  /** It asks something first, so the palette stays. */
  asks?: boolean;
  run: () => void;
}

/** What an entry may have to ask before it does anything. */
export interface Questions {
  onRename: (card: ChatCard) => void;
  onStop: (live: LiveChat) => void;
}

/** What can be done to the open chat. */
export function useChatCommands(card: ChatCard | undefined, { onRename, onStop }: Questions): Entry[] {
  const { chats } = useStores();
  const { complain, say } = useToasts();
  const verbsOf = useVerbs();
  const me = useMe();
  const fork = useFork(card?.id ?? "");
  if (!card) return [];
  const live = chats.get(card.id);
  const verbs = verbsOf(card);
  const ask = (what: "interrupt" | "retry" | "compact", done?: string) => () =>
    void api.post(`/chats/${card.id}/${what}`).then(() => done && say(done), complain);
  const save = (format: string) => () => void open(pathOf(`/chats/${card.id}/export`, { format }));
  const last = live.state.messages.at(-1)?.number;
  const planning = card.plan_mode ?? false;
  const one = (key: string, Icon: typeof Pin, words: string, run: () => void, also = ""): Entry => ({
    key,
    group: t("This chat"),
    scope: "chat",
    icon: <Icon aria-hidden />,
    words,
    also,
    run,
  });
  const copies = [
    one("markdown", Download, t("Export as Markdown"), save("markdown"), t("download save")),
    one("json", Download, t("Export as JSON"), save("json"), t("download save")),
  ];
  if (card.owner_id !== me.id) return copies;
  const asks = asksBeforeStop(live);
  const stopped = asks ? () => onStop(live) : ask("interrupt");
  const stop = { ...one("stop", Square, t("Stop the turn"), stopped, t("interrupt cancel")), asks };
  return [
    isBusy(phaseOf(live.state)) && stop,
    card.status === "error" && one("retry", RotateCw, t("Try again"), ask("retry"), "retry"),
    { ...one("rename", Pencil, t("Rename"), () => onRename(card), t("title name")), asks: true },
    one("title", Sparkles, t("Suggest a title"), verbs.retitle, "rename"),
    !card.parent_id &&
      one("pin", card.pin ? PinOff : Pin, card.pin ? t("Unpin") : t("Pin"), () =>
        verbs.pin(card.pin ? 0 : 1),
      ),
    last !== undefined && one("fork", GitFork, t("Fork this chat"), () => void fork(last), t("copy branch")),
    one(
      "compact",
      ChevronsDownUp,
      t("Compact now"),
      ask("compact", t("Compacting older messages.")),
      t("summarize context"),
    ),
    one(
      "plan",
      ClipboardList,
      planning ? t("Plan mode off") : t("Plan mode on"),
      () => void api.patch(`/chats/${card.id}`, { plan_mode: !planning }).catch(complain),
    ),
    ...copies,
    !card.parent_id &&
      one(
        "archive",
        card.archived ? ArchiveRestore : Archive,
        card.archived ? t("Unarchive") : t("Archive"),
        () => verbs.archive(!card.archived),
      ),
  ].filter((entry) => entry !== false);
}

/** The models: for the open chat, or for the next one. */
export function useModelCommands(card: ChatCard | undefined): Entry[] {
  const models = useModels();
  const [, go] = useLocation();
  const { complain, say } = useToasts();
  const me = useMe();
  const own = card?.owner_id === me.id ? card : undefined;
  return models.map((model) => {
    const name = model.display_name ?? model.name;
    return {
      key: `model-${model.name}`,
      group: t("Models"),
      icon: <Bot aria-hidden />,
      words: name,
      also: `${model.name} ${model.provider} model`,
      hint: own ? t("for this chat") : t("for a new chat"),
      run: () => {
        if (own)
          return void api
            .patch(`/chats/${own.id}`, { model: model.name })
            .then(() => say(t("{name} will answer from now on.", { name })), complain);
        store("model", model.name);
        go("/");
      },
    };
  });
}

export function usePlaces(): Entry[] {
  const [, go] = useLocation();
  const me = useMe();
  const shown =
    mayAdminister(me) || me.role === "auditor" ? [...PERSONAL_PLACES, ...ADMIN_PLACES] : PERSONAL_PLACES;
  const one = (
    key: string,
    Icon: typeof Pin,
    words: string,
    run: () => void,
    also: string,
    hint?: string,
  ): Entry => ({
    key,
    group: t("Go to"),
    icon: <Icon aria-hidden />,
    words,
    also,
    hint,
    run,
  });
  return [
    one("new", SquarePen, t("New chat"), () => go("/"), "start"),
    ...shown.map(({ path, label, icon }) =>
      one(
        path,
        icon,
        label,
        () => go(path),
        `settings ${path}`,
        path.startsWith("/admin") ? t("Administration") : t("Settings"),
      ),
    ),
    one("dark", Moon, t("Dark theme"), () => setTheme("dark"), "appearance"),
    one("light", Sun, t("Light theme"), () => setTheme("light"), "appearance"),
    one("system", SunMoon, t("System theme"), () => setTheme("system"), "appearance"),
  ];
}
