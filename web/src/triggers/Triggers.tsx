/** Programs that begin chats by what they send. */

import { Zap } from "lucide-react";
import { useState } from "react";
import type { Trigger } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import type { FieldSpec, Values } from "../settings/form.tsx";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { Secret } from "../settings/Secret.tsx";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ago } from "../ui/format.ts";
import { conditionsIn, conditionsText } from "./conditions.ts";
import { Incoming } from "./Incoming.tsx";
import "./triggers.css";

const SIGNING = [
  { value: "standard", label: "Standard Webhooks" },
  { value: "github", label: "GitHub" },
  { value: "slack", label: "Slack" },
  { value: "token", label: t("Not at all: the secret is in the URL") },
];
const BUSY = [
  { value: "queue", label: t("Wait until the chat is idle") },
  { value: "steer", label: t("Tell the chat before its next step") },
  { value: "interrupt", label: t("Stop the chat") },
];
const FIELDS: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: t("New issues") },
  {
    name: "template",
    label: t("What to say"),
    kind: "code",
    rows: 5,
    required: true,
    hint: t(
      "body.issue.title in double braces is a field of what is sent, body in double braces is all of it.",
    ),
  },
  { name: "signing", label: t("How the program signs"), kind: "choice", options: SIGNING, only: "create" },
  {
    name: "secret",
    label: t("Secret"),
    kind: "password",
    hint: t("Slack: the app's signing secret. Otherwise leave empty to generate one or to keep it."),
  },
  {
    name: "conditions",
    label: t("Only if"),
    kind: "code",
    rows: 2,
    placeholder: "body.action is opened | reopened",
    hint: t("One condition a line: is, is_not, contains, starts_with or exists. All of them must hold."),
  },
  {
    name: "thread",
    label: t("One chat for each"),
    placeholder: "{{ body.repository.full_name }}#{{ body.issue.number }}",
    hint: t(
      "Deliveries for which this is the same text go to the same chat. Leave empty for a new chat each time.",
    ),
  },
  { name: "busy", label: t("If the chat is still working"), kind: "choice", options: BUSY },
  {
    name: "budget_limit",
    label: t("Budget of each chat (USD)"),
    kind: "dollars",
    hint: t("Leave empty for no limit."),
  },
  { name: "hourly_limit", label: t("At most so many deliveries an hour"), kind: "number" },
  { name: "enabled", label: t("On"), kind: "switch", only: "change" },
];

export function Triggers() {
  return (
    <ResourcePage<Trigger>
      title={t("Triggers")}
      about={t(
        "Chats that other programs start: a new issue, a failed build, an alert. They use your models, keys and budget.",
      )}
      path="/triggers"
      noun={t("trigger")}
      initial={{ signing: "standard", template: "{{ body }}", busy: "queue", hourly_limit: 60 }}
      fields={FIELDS}
      nothing={{
        icon: Zap,
        title: t("No triggers yet"),
        words: t(
          "A trigger is a URL. Whatever a program sends there, signed, becomes the message of a chat.",
        ),
      }}
      idOf={(trigger) => trigger.id}
      shown={(trigger) => ({ ...trigger, conditions: conditionsText(trigger.conditions), secret: undefined })}
      sent={sent}
      made={(trigger) => <Made trigger={trigger} />}
      more={(trigger) => <Log trigger={trigger} />}
      row={(trigger) => (
        <>
          <strong>{trigger.name}</strong>{" "}
          {!trigger.enabled && <span className="pill pill-warn">{t("off")}</span>}
          <div className="quiet small mono truncate">{trigger.url}</div>
          {trigger.refused_at && (
            <div className="quiet small">
              {t("Refused {time}: {why}", { time: ago(trigger.refused_at), why: trigger.refusal ?? "" })}
            </div>
          )}
        </>
      )}
    />
  );
}

function sent({ conditions, secret, ...values }: Values): Values {
  const kept = secret ? { ...values, secret } : values;
  return { ...kept, conditions: conditionsIn(String(conditions ?? "")), thread: values.thread ?? "" };
}

function Made({ trigger }: { trigger: Trigger }) {
  const url =
    trigger.signing === "token"
      ? `${trigger.url}?token=${encodeURIComponent(trigger.secret ?? "")}`
      : trigger.url;
  return (
    <div className="stack">
      <p>{t("Send to this URL.")}</p>
      <div className="spread secret">
        <code className="grow">{url}</code>
        <CopyButton text={() => url} label={t("Copy URL")} />
      </div>
      {trigger.secret && <Secret text={trigger.secret} label={t("Copy secret")} />}
    </div>
  );
}

function Log({ trigger }: { trigger: Trigger }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <CopyButton text={() => trigger.url} label={t("Copy URL")} />
      <Button small onClick={() => setOpen(true)}>
        {t("Deliveries")}
      </Button>
      {open && (
        <Dialog title={t("Deliveries to {name}", { name: trigger.name })} onClose={() => setOpen(false)}>
          <Incoming trigger={trigger} />
        </Dialog>
      )}
    </>
  );
}
