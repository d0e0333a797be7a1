/** Who somebody is where agents answer besides here: on GitHub and in Slack. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Facts } from "../ui/Facts.tsx";
import { ago } from "../ui/format.ts";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { useToasts } from "../ui/Toasts.tsx";

export const HANDLE = "perdure";
const CHANNELS: Record<string, string> = { github: "GitHub", slack: t("Slack") };
const KEY = ["accounts elsewhere"];

export function Accounts() {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await api.get("/channel-links")).items,
    retry: false,
  });
  const remove = async (channel: string, external: string) => {
    await api.delete(`/channel-links/${channel}/${encodeURIComponent(external.replaceAll("/", ":"))}`);
    await client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section
      title={t("Your accounts on GitHub and Slack")}
      about={t("What you say to an agent there is yours: with your rights, models, keys and budget.")}
      action={<LinkMe handle={HANDLE} />}
    >
      <Problem error={error} />
      {data?.length === 0 && <p className="quiet">{t("No account is linked.")}</p>}
      <ul className="rows">
        {data?.map(({ channel, external, name, created_at }) => (
          <li key={`${channel} ${external}`} className="card row-card">
            <div className="grow">
              <strong>{name}</strong>
              <div className="quiet small">
                <Facts of={[CHANNELS[channel] ?? channel, external, ago(created_at)]} />
              </div>
            </div>
            <RemoveButton label={t("Remove {name}", { name })} onRemove={() => remove(channel, external)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A code that makes whoever says it in the channel known as whoever asked for it. */
export function LinkMe({ handle }: { handle: string }) {
  const [code, setCode] = useState("");
  const client = useQueryClient();
  const { complain } = useToasts();
  const ask = async () => setCode((await api.post("/channel-links", {})).code);
  const close = () => {
    setCode("");
    void client.invalidateQueries({ queryKey: KEY });
  };
  const words = `@${handle} link ${code}`;
  return (
    <>
      <Button onClick={() => void ask().catch(complain)}>{t("Link my account")}</Button>
      {code && (
        <Dialog title={t("Link my account")} onClose={close}>
          <div className="stack">
            <p>{t("Send this to the agent there within 15 minutes. It works once.")}</p>
            <div className="spread secret">
              <code className="grow">{words}</code>
              <CopyButton text={() => words} label={t("Copy message")} />
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
