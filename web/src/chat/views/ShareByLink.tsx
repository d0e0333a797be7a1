import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link2, Link2Off } from "lucide-react";
import { api } from "../../api/client.ts";
import { t } from "../../language/catalogue.ts";
import { Button } from "../../ui/Button.tsx";
import { CopyButton } from "../../ui/CopyButton.tsx";
import { useToasts } from "../../ui/Toasts.tsx";
import { RoleSelect } from "./RoleSelect.tsx";

/** A link that lets colleagues into the chat, until it is taken back. */
export function ShareByLink({ chat }: { chat: string }) {
  const client = useQueryClient();
  const { complain } = useToasts();
  const path = `/chats/${chat}/link` as const;
  const key = ["link", chat];
  const { data } = useQuery({
    queryKey: key,
    queryFn: () => api.get(path),
    retry: false,
  });
  const then = (work: Promise<unknown>) =>
    void work.then(() => client.invalidateQueries({ queryKey: key }), complain);
  if (!data) return null;
  if (!data.id)
    return (
      <div>
        <Button onClick={() => then(api.put(path, {}))}>
          <Link2 /> {t("Create a link")}
        </Button>
      </div>
    );
  const url = `${location.origin}/shared/${data.id}`;
  return (
    <section className="share-link" aria-label={t("Link")}>
      <RoleSelect
        label={t("Anyone signed in who has this link")}
        value={data.role ?? "read"}
        required
        onChange={(role) => then(api.put(path, { role: role ?? "read" }))}
      />
      <div className="spread">
        <input className="input mono grow" aria-label={t("Link to this chat")} readOnly value={url} />
        <CopyButton text={() => url} label={t("Copy the link")} />
        <Button small look="danger" onClick={() => then(api.delete(path))}>
          <Link2Off /> {t("Revoke")}
        </Button>
      </div>
    </section>
  );
}
