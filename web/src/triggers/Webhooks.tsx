/** Programs that are told what happens in one's chats. */

import { Send } from "lucide-react";
import { useState } from "react";
import type { Webhook } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import type { FieldSpec } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { Secret } from "../settings/Secret.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Deliveries, eventName } from "./Deliveries.tsx";
import "./triggers.css";

const EVENTS = ["chat.finished", "chat.failed", "chat.needs_you", "chat.message"];
const FIELDS: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: t("Build machine") },
  { name: "url", label: t("URL"), required: true, placeholder: "https://ci.example.org/perdure" },
  {
    name: "events",
    label: t("Events"),
    kind: "several",
    options: EVENTS.map((value) => ({ value, label: eventName(value) })),
  },
  {
    name: "secret",
    label: t("Secret"),
    kind: "password",
    only: "create",
    hint: t("whsec_ and at least 24 bytes in Base64. Leave empty to generate one."),
  },
  { name: "enabled", label: t("On"), kind: "switch", only: "change" },
];

export function Webhooks() {
  return (
    <ResourcePage
      title={t("Webhooks")}
      about={t(
        "A signed HTTP request to a program of yours whenever something happens in one of your chats.",
      )}
      path="/webhooks"
      noun={t("webhook")}
      initial={{ events: EVENTS.filter((event) => event !== "chat.message") }}
      fields={FIELDS}
      nothing={{
        icon: Send,
        title: t("No webhooks yet"),
        words: t(
          "Notify CI, a bot or a dashboard when a chat finishes, fails or needs you. You need its URL. Requests are signed with Standard Webhooks.",
        ),
      }}
      idOf={(webhook) => webhook.id}
      made={(webhook) => webhook.secret && <Secret text={webhook.secret} label={t("Copy secret")} />}
      more={(webhook) => <Log webhook={webhook} />}
      row={(webhook) => (
        <>
          <strong>{webhook.name}</strong>{" "}
          {!webhook.enabled && <span className="pill pill-warn">{t("off")}</span>}
          <div className="quiet small mono truncate">{webhook.url}</div>
          <div className="quiet small">{webhook.events.map(eventName).join(", ")}</div>
        </>
      )}
    />
  );
}

function Log({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {t("Deliveries")}
      </Button>
      {open && (
        <Dialog title={t("Deliveries to {name}", { name: webhook.name })} onClose={() => setOpen(false)}>
          <Deliveries webhook={webhook} />
        </Dialog>
      )}
    </>
  );
}
