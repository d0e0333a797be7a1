import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { api } from "../api/client.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";

const NONE: number[] = [];
const selectNewest = (chat: ChatState) => chat.messages.at(-1)?.revision ?? 0;

interface Props {
  query: string;
  onQuery: (query: string) => void;
  /** The message that is read now: the first one found is there or after it. */
  from: () => number;
  onPlace: (number: number) => void;
  onClose: () => void;
}

/** Looks through the whole chat, also through what is not on the page. */
export function FindBar({ query, onQuery, from, onPlace, onClose }: Props) {
  const { numbers, asked } = useMatches(query.trim());
  const [place, setPlace] = useState<number | null>(null);
  const at = place === null ? -1 : numbers.indexOf(place);
  const go = (number: number | undefined) => {
    if (number === undefined) return;
    setPlace(number);
    onPlace(number);
  };
  // Whoever types fast has gone on before anything is found.
  const ahead = useRef(0);
  const step = (by: number) => {
    if (numbers.length > 0) go(around(numbers, Math.max(at, 0) + by));
    else if (!asked) ahead.current += by;
  };
  const latest = useRef({ from, go });
  latest.current = { from, go };
  // What is found anew is gone to at once, unless one is there already.
  useEffect(() => {
    const { from, go } = latest.current;
    setPlace(null);
    if (numbers.length === 0) return;
    const first = numbers.findIndex((number) => number >= from());
    go(around(numbers, (first < 0 ? numbers.length - 1 : first) + ahead.current));
    ahead.current = 0;
  }, [numbers]);
  return (
    <div className="find" role="search" aria-label={t("Find in this chat")}>
      <Search aria-hidden />
      <input
        aria-label={t("Find in this chat")}
        placeholder={t("Find in this chat")}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody wants to type
        autoFocus
        value={query}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          ahead.current = 0;
          onQuery(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key === "Enter" && !event.nativeEvent.isComposing) step(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="find-count" role="status">
        {asked &&
          (numbers.length > 0
            ? t("{at} of {count}", { at: at + 1, count: numbers.length })
            : t("No results"))}
      </span>
      <Button
        look="ghost"
        small
        label={t("Previous match")}
        disabled={numbers.length === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp />
      </Button>
      <Button
        look="ghost"
        small
        label={t("Next match")}
        disabled={numbers.length === 0}
        onClick={() => step(1)}
      >
        <ChevronDown />
      </Button>
      <Button look="ghost" small label={t("Close")} onClick={onClose}>
        <X />
      </Button>
    </div>
  );
}

/** The number at a place, where the last is followed by the first. */
function around(numbers: readonly number[], at: number): number | undefined {
  const { length } = numbers;
  return numbers[((at % length) + length) % length];
}

/** The messages that say it, oldest first; looked for again when something was said. */
function useMatches(q: string): { numbers: readonly number[]; asked: boolean } {
  const live = useLiveChat();
  const newest = useChat(selectNewest);
  const { data } = useQuery({
    queryKey: ["matches", live.id, q, newest],
    queryFn: async () => (await api.get(`/chats/${live.id}/matches`, { q })).items,
    enabled: q !== "",
    placeholderData: (before, query) => (query?.queryKey[2] === q ? before : undefined),
    structuralSharing: true,
    retry: false,
  });
  return { numbers: (q && data) || NONE, asked: q !== "" && data !== undefined };
}
