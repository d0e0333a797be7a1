import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Acl } from "../../api/types.ts";
import { t } from "../../language/catalogue.ts";
import { useMe } from "../../page/session.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { useToasts } from "../../ui/Toasts.tsx";
import type { ShareRole } from "../network/people.ts";
import { useStores } from "../network/stores.ts";
import { RoleSelect } from "./RoleSelect.tsx";
import { ShareByLink } from "./ShareByLink.tsx";

type Kind = "users" | "groups";

/** Who else is in the chat, and what each may do there. */
export default function ShareDialog({ chat, onClose }: { chat: string; onClose: () => void }) {
  const client = useQueryClient();
  const me = useMe();
  const { chats } = useStores();
  const { complain } = useToasts();
  const key = ["acl", chat];
  const acl = useQuery({ queryKey: key, queryFn: () => api.get(`/chats/${chat}/acl`) });
  const users = useQuery({
    queryKey: ["users"],
    queryFn: async () => (await api.get("/users")).items,
    retry: false,
  });
  const groups = useQuery({
    queryKey: ["groups"],
    queryFn: async () => (await api.get("/groups")).items,
    retry: false,
  });
  const set = (kind: Kind, id: string, role: ShareRole | null) => {
    const now = acl.data ?? {};
    const next = shared(now, kind, id, role);
    client.setQueryData(key, next);
    const sent = chats.get(chat).inOrder(() => api.put(`/chats/${chat}/acl`, next));
    sent.catch((error: unknown) => {
      client.setQueryData(key, now);
      complain(error);
    });
  };
  const rows = (kind: Kind, list: readonly { id: string; name: string; email?: string }[]) =>
    list.map((person) => (
      <RoleSelect
        key={person.id}
        label={person.name || person.email || person.id}
        value={roleIn(acl.data ?? {}, kind, person.id)}
        onChange={(role) => set(kind, person.id, role)}
      />
    ));
  const others = (users.data ?? []).filter((person) => person.id !== me.id);
  return (
    <Dialog title={t("Share")} onClose={onClose}>
      <div className="stack">
        <p className="quiet">
          {t(
            "People you choose can read this chat, write in it, or approve tool calls as well. What somebody asks for runs with their own keys and budget.",
          )}
        </p>
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

export function roleIn(acl: Acl, kind: Kind, id: string): ShareRole | null {
  if (!acl[kind]?.includes(id)) return null;
  return acl.roles?.[id] ?? "read";
}

/** With whom the chat is shared once somebody has another role, or none. */
export function shared(acl: Acl, kind: Kind, id: string, role: ShareRole | null): Acl {
  const others = (acl[kind] ?? []).filter((other) => other !== id);
  const { [id]: _, ...roles } = acl.roles ?? {};
  return {
    ...acl,
    [kind]: role === null ? others : [...others, id],
    roles: role === null || role === "read" ? roles : { ...roles, [id]: role },
  };
}
