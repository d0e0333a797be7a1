import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { Acl, Group, User } from "../api/types.ts";
import { listOf } from "../app/models.ts";
import { useMe } from "../app/session.ts";
import { useStores } from "../app/stores.ts";
import { t } from "../language/catalogue.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Switch } from "../ui/Field.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { ShareByLink } from "./ShareByLink.tsx";

/** Who may read along. Only the owner can spend; everybody named here can look. */
export default function ShareDialog({ chat, onClose }: { chat: string; onClose: () => void }) {
  const client = useQueryClient();
  const me = useMe();
  const { chats } = useStores();
  const { complain } = useToasts();
  const key = ["acl", chat];
  const acl = useQuery({ queryKey: key, queryFn: () => api.get<Acl>(`/chats/${chat}/acl`) });
  const users = useQuery({
    queryKey: ["users"],
    queryFn: async () => listOf(await api.get<User[] | { items: User[] }>("/users")),
    retry: false,
  });
  const groups = useQuery({
    queryKey: ["groups"],
    queryFn: async () => listOf(await api.get<Group[] | { items: Group[] }>("/groups")),
    retry: false,
  });
  const set = (kind: keyof Acl, id: string, on: boolean) => {
    const now = acl.data ?? {};
    const before = now[kind] ?? [];
    const list = on ? [...before, id] : before.filter((other) => other !== id);
    const next = { ...now, [kind]: list };
    client.setQueryData(key, next);
    const sent = chats.get(chat).inOrder(() => api.put(`/chats/${chat}/acl`, next));
    sent.catch((error: unknown) => {
      client.setQueryData(key, now);
      complain(error);
    });
  };
  const rows = (kind: keyof Acl, list: readonly { id: string; name: string; email?: string }[]) =>
    list.map((person) => (
      <Switch
        key={person.id}
        label={person.name || person.email || person.id}
        checked={acl.data?.[kind]?.includes(person.id) ?? false}
        onChange={(on) => set(kind, person.id, on)}
      />
    ));
  const others = (users.data ?? []).filter((person) => person.id !== me.id);
  return (
    <Dialog title={t("Share (read-only)")} onClose={onClose}>
      <div className="stack">
        <p className="quiet">{t("People you choose can read this chat. Only you can send messages.")}</p>
        <ShareByLink chat={chat} />
        {others.length + (groups.data ?? []).length > 0 && (
          <div className="boxes" role="group" aria-label={t("People and groups")}>
            {rows("groups", groups.data ?? [])}
            {rows("users", others)}
          </div>
        )}
        {users.data && others.length + (groups.data ?? []).length === 0 && (
          <p>{t("There are no other users yet.")}</p>
        )}
        {users.isError && <p className="quiet">{users.error.message}</p>}
      </div>
    </Dialog>
  );
}
