/** Everything a component expects around it. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { ChatCard, ChatEvent, Me } from "../api/types.ts";
import { LiveChatContext } from "../chat/network/hooks.ts";
import { LiveChat } from "../chat/network/live.ts";
import { makeStores, type Stores, StoresContext } from "../chat/network/stores.ts";
import { MeContext } from "../page/session.ts";
import { Toasts } from "../ui/Toasts.tsx";

export const ME: Me = {
  id: "me",
  email: "ada@example.org",
  name: "Ada",
  role: "owner",
  organisation_id: "o",
  csrf_token: "x",
  preferences: {},
};

interface Props {
  children: ReactNode;
  path?: string;
  cards?: ChatCard[];
  chat?: LiveChat;
  prepare?: (stores: Stores) => void;
}

export function World({ children, path = "/", cards = [], chat, prepare }: Props) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false } } }));
  const [location] = useState(() => memoryLocation({ path, record: true }));
  const [stores] = useState(() => {
    const made = makeStores();
    made.directory.put(cards);
    prepare?.(made);
    return made;
  });
  return (
    <QueryClientProvider client={queries}>
      <StoresContext value={stores}>
        <MeContext value={ME}>
          <Router hook={location.hook} searchHook={location.searchHook}>
            <Toasts>{chat ? <LiveChatContext value={chat}>{children}</LiveChatContext> : children}</Toasts>
          </Router>
        </MeContext>
      </StoresContext>
    </QueryClientProvider>
  );
}

/** A chat that has heard these events. Nothing more comes. */
export function chatAfter(...events: ChatEvent[]): LiveChat {
  const live = new LiveChat("c1");
  live.dispatch({ type: "connection", connection: "open" });
  for (const event of events) live.dispatch(event);
  return live;
}
