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
import { Accounts, HANDLE, LinkMe } from "./Accounts.tsx";
import { conditionsIn, conditionsText } from "./conditions.ts";
import { Incoming } from "./Incoming.tsx";
import { newChat, useSpeechFields } from "./speechFields.ts";
import { sentSpeech, shownSpeech } from "./speechValues.ts";
import "./triggers.css";

const CONDITION = "body.action is opened | reopened";
const THREAD = "{{ body.repository.full_name }}#{{ body.issue.number }}";
const SIGNING = [
  { value: "standard", label: t("Standard Webhooks") },
  { value: "github", label: "GitHub" },
  { value: "slack", label: t("Slack") },
  { value: "token", label: t("None: the secret is in the URL") },
];
const BUSY = [
  { value: "queue", label: t("Wait until the chat is idle") },
  { value: "steer", label: t("Tell the chat before its next step") },
  { value: "interrupt", label: t("Stop the chat") },
];
const CHANNELS = [
  { value: "", label: t("A message for each delivery") },
  { value: "github", label: t("A conversation on GitHub") },
  { value: "slack", label: t("A conversation in Slack") },
];
const ROLES = [
  { value: "write", label: t("Write in it") },
  { value: "approve", label: t("Write in it and approve") },
  { value: "read", label: t("Nothing: only whoever began it speaks") },
];
const isChannel = (values: Values) => Boolean(values.channel);
const isNone = (values: Values) => !values.channel;
const WHAT: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: t("New issues") },
  {
    name: "channel",
    label: t("What it starts"),
    kind: "choice",
    options: CHANNELS,
    // What is a channel stays one.
    when: (values) => values.enabled === undefined,
  },
  {
    name: "handle",
    label: t("Name of the agent there"),
    placeholder: HANDLE,
    hint: t("Comments that mention this name go to the agent."),
    when: (values) => values.channel === "github",
  },
  {
    name: "credential",
    label: t("Token for posting answers"),
    kind: "password",
    when: isChannel,
  },
  {
    name: "thread_role",
    label: t("What colleagues who speak in a thread may do in its chat"),
    kind: "choice",
    options: ROLES,
    when: isChannel,
  },
  {
    name: "template",
    when: isNone,
    label: t("Prompt"),
    kind: "code",
    rows: 5,
    required: true,
    hint: t(
      "body.issue.title in double braces is a field of what is sent, body in double braces is all of it.",
    ),
  },
  {
    name: "signing",
    label: t("Signature"),
    kind: "choice",
    options: SIGNING,
    only: "create",
    when: isNone,
  },
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
    placeholder: CONDITION,
    hint: t("One condition a line: is, is_not, contains, starts_with or exists. All of them must hold."),
  },
  {
    name: "thread",
    when: (values) => isNone(values) && newChat(values),
    label: t("One chat for each"),
    placeholder: THREAD,
    hint: t(
      "Deliveries for which this is the same text go to the same chat. Leave empty for a new chat each time.",
    ),
  },
];
const HOW: FieldSpec[] = [
  { name: "busy", label: t("If the chat is still working"), kind: "choice", options: BUSY },
  { name: "hourly_limit", label: t("Max deliveries per hour"), kind: "number" },
  { name: "enabled", label: t("On"), kind: "switch", only: "change" },
];

export function Triggers() {
  const where = useSpeechFields({});
  return (
    <>
      <TriggerList fields={[...WHAT, ...where, ...HOW]} />
      <Accounts />
    </>
  );
}

function TriggerList({ fields }: { fields: readonly FieldSpec[] }) {
  return (
    <ResourcePage
      title={t("Triggers")}
      about={t(
        "Chats that other programs start: a new issue, a failed build, an alert. They use your models, keys and budget.",
      )}
      path="/triggers"
      noun={t("trigger")}
      initial={{
        ...{ signing: "standard", template: "{{ body }}", busy: "queue", hourly_limit: 60 },
        thread_role: "write",
      }}
      fields={fields}
      nothing={{
        icon: Zap,
        title: t("No triggers yet"),
        words: t(
          "A trigger is a URL. Whatever a program sends there, signed, becomes the message of a chat.",
        ),
      }}
      idOf={(trigger) => trigger.id}
      shown={(trigger) => ({
        ...trigger,
        ...shownSpeech(trigger),
        credential: undefined,
        conditions: conditionsText(trigger.conditions),
        secret: undefined,
      })}
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

/** A channel says itself how it signs, what is said and where; a secret that is not typed stays as it is. */
function sent({ conditions, secret, credential, channel, ...values }: Values): Values {
  const kept = { ...values, ...(secret ? { secret } : {}), ...(credential ? { credential } : {}) };
  const held = { ...sentSpeech(kept), conditions: conditionsIn(String(conditions ?? "")) };
  if (!channel) return { ...held, thread: values.chat_id ? "" : (values.thread ?? "") };
  return values.enabled === undefined ? { ...held, channel, signing: channel } : held;
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
      {trigger.channel && <LinkMe handle={trigger.handle || HANDLE} />}
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
