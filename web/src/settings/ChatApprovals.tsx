/** The rules of one chat, beside those that it has from elsewhere. */

import type { ChatSettings } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Approvals } from "./Approvals.tsx";
import type { Rules } from "./approvals.ts";
import { useSettings } from "./SettingsForm.tsx";

interface Props {
  settings: ChatSettings;
  onChange: (approvals: Record<string, "auto" | "ask" | "deny">) => void;
}

export function ChatApprovals({ settings, onChange }: Props) {
  const house = useSettings("/settings").data;
  const own = useSettings("/me/settings").data;
  const layers = {
    organisation: house?.approvals as Rules | undefined,
    person: own?.approvals as Rules | undefined,
    chat: (settings.approvals ?? {}) as Rules,
  };
  return (
    <section className="stack" aria-label={t("Approvals")}>
      <h3>{t("Approvals")}</h3>
      <Approvals level="chat" layers={layers} onChange={onChange} />
    </section>
  );
}
