/** What the workspace tells the agent: pinned, so that the prompt stays as it is until somebody says otherwise. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { api } from "../api/client.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

const selectDirty = (chat: ChatState) => chat.card?.context_dirty ?? false;

export function WorkspaceContext() {
  const live = useLiveChat();
  const dirty = useChat(selectDirty);
  const client = useQueryClient();
  const { complain } = useToasts();
  const key = ["context", live.id];
  const { data } = useQuery({
    queryKey: [...key, dirty],
    queryFn: () => api.get(`/chats/${live.id}/context`),
    retry: false,
  });
  const refresh = () =>
    void api
      .post(`/chats/${live.id}/context/refresh`)
      .then(() => client.invalidateQueries({ queryKey: key }), complain);
  const told = [
    ...(data?.files ?? []).map((file) => file.path),
    ...(data?.skills ?? []).map((skill) => skill.name),
  ];
  if (told.length === 0 && !dirty) return null;
  return (
    <section className="stack" aria-label={t("From the workspace")}>
      <h3>{t("From the workspace")}</h3>
      <ul>
        {told.map((name) => (
          <li key={name} className="mono small truncate">
            {name}
          </li>
        ))}
      </ul>
      {dirty && (
        <div className="spread wrap">
          <span className="quiet small grow">{t("The file has changed since.")}</span>
          <Button small onClick={refresh}>
            <RefreshCw /> {t("Use the new version from the next turn")}
          </Button>
        </div>
      )}
    </section>
  );
}
