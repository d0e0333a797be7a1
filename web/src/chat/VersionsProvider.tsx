/** Lets a person turn from the conversation to what an edit left behind, and back. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { api } from "../api/client.ts";
import type { Branch } from "../api/types.ts";
import { useChat, useLiveChat } from "./hooks.ts";
import type { ChatState } from "./state.ts";
import { gaps, historyUntil, known, NOW, type Version } from "./versions.ts";
import { type Versions, VersionsContext } from "./versionsContext.ts";

const NOTHING: Branch[] = [];
const selectMessages = (chat: ChatState) => chat.messages;

export function VersionsProvider({ children }: { children: ReactNode }) {
  const live = useLiveChat();
  const messages = useChat(selectMessages);
  const [shown, setShown] = useState<Version | null>(null);
  const missing = useMemo(() => gaps(messages), [messages]);
  const { data = NOTHING } = useQuery({
    queryKey: ["branches", live.id, missing],
    queryFn: async () => (await api.get<{ items: Branch[] }>(`/chats/${live.id}/branches`)).items,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
    enabled: missing.length > 0,
  });
  const value = useMemo((): Versions => {
    const all = known(messages, data);
    const past = shown && shown.until !== NOW ? historyUntil(all, shown.until) : [];
    return {
      past: past.length > 0 ? past : null,
      arrived: shown?.number ?? null,
      of: (message) => all.versions.get(message.number) ?? [],
      show: setShown,
      backToNow: () => setShown(null),
    };
  }, [messages, data, shown]);
  return <VersionsContext value={value}>{children}</VersionsContext>;
}
