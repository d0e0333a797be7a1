/** A new chat that begins with this one's history up to a message, and goes its own way from there. */

import { useCallback } from "react";
import { useLocation } from "wouter";
import { api } from "../../api/client.ts";
import { freshId } from "../../api/freshId.ts";
import { useToasts } from "../../ui/Toasts.tsx";
import { useStores } from "./stores.ts";

interface Files {
  files?: "back" | "none";
  files_state?: string;
}

export function useFork(chat_id: string): (after: number, files?: Files) => Promise<void> {
  const [, go] = useLocation();
  const { directory } = useStores();
  const { complain } = useToasts();
  return useCallback(
    async (after, files) => {
      try {
        const { chat } = await api.post(`/chats/${chat_id}/fork`, { after, ...files }, freshId());
        directory.put([chat]);
        go(`/chats/${chat.id}`);
      } catch (error) {
        complain(error);
      }
    },
    [chat_id, go, directory, complain],
  );
}
