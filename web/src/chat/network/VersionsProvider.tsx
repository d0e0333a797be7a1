/** Lets a person turn from the conversation to what an edit left behind, and back. The address says which is shown. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { api } from "../../api/client.ts";
import type { Branch } from "../../api/types.ts";
import { withFields } from "../../page/address.ts";
import { shownMessages } from "../model/stretch.ts";
import { gaps, historyUntil, known, NOW } from "../model/versions.ts";
import { useChat, useLiveChat } from "./hooks.ts";
import { type Versions, VersionsContext } from "./versionsContext.ts";

const NOTHING: Branch[] = [];

export function VersionsProvider({ children }: { children: ReactNode }) {
  const live = useLiveChat();
  const messages = useChat(shownMessages);
  const [location, go] = useLocation();
  const search = useSearch();
  /** What a person said: the version is the conversation as it went on from there. */
  const wanted = Number(new URLSearchParams(search).get("version"));
  const [arrived, setArrived] = useState<number | null>(null);
  const missing = useMemo(() => gaps(messages), [messages]);
  const { data = NOTHING } = useQuery({
    queryKey: ["branches", live.id, missing],
    queryFn: async () => (await api.get(`/chats/${live.id}/branches`)).items,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
    enabled: missing.length > 0,
  });
  const value = useMemo((): Versions => {
    const all = known(messages, data);
    const version = all.versions.get(wanted)?.find((entry) => entry.number === wanted);
    const past = version && version.until !== NOW ? historyUntil(all, version.until) : [];
    const turnTo = (number: number | null) => go(location + withFields(search, { version: number }));
    return {
      past: past.length > 0 ? past : null,
      shown: past.length > 0 ? wanted : null,
      arrived,
      of: (message) => all.versions.get(message.number) ?? [],
      show: ({ number, until }) => {
        setArrived(number);
        turnTo(until === NOW ? null : number);
      },
      backToNow: () => {
        setArrived(null);
        turnTo(null);
      },
    };
  }, [messages, data, wanted, arrived, search, location, go]);
  return <VersionsContext value={value}>{children}</VersionsContext>;
}
