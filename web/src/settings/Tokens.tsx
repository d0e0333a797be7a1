/** Keys for programs that speak on one's behalf. */

import { Ticket } from "lucide-react";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { fullTime } from "../ui/format.ts";
import type { FieldSpec } from "./form.tsx";
import { ResourcePage } from "./ResourcePage.tsx";
import { Secret } from "./Secret.tsx";

const SCOPES = [
  { value: "read", label: t("Read"), about: t("Read your chats and settings, without changing anything.") },
  { value: "chat", label: t("Chat"), about: t("Start chats, send messages and decide approvals as you.") },
  {
    value: "admin",
    label: t("Administer"),
    about: t("Manage providers, users and policies, as far as your role allows."),
  },
];
const TOKEN: FieldSpec[] = [
  { name: "name", label: t("Name"), required: true, placeholder: t("deploy bot") },
  { name: "scopes", label: t("Permissions"), kind: "several", options: SCOPES },
  {
    name: "expires_in_days",
    label: t("Expires after (days)"),
    kind: "number",
    hint: t("Leave empty for no expiry."),
  },
];

export function Tokens() {
  return (
    <ResourcePage
      title={t("API tokens")}
      about={t("For programs that act on your behalf. A token has your permissions.")}
      path="/tokens"
      noun={t("token")}
      fields={TOKEN}
      initial={{ scopes: ["chat"] }}
      fixed
      nothing={{
        icon: Ticket,
        title: t("No tokens yet"),
        words: t("Scripts, bots and CI sign in with a token. It is shown once, when you create it."),
      }}
      idOf={(token) => token.id}
      row={(token) => (
        <>
          <strong>{token.name}</strong> <code>…{token.hint}</code>{" "}
          <span className="pill">{token.scopes.map(termOf).join(", ")}</span>
          <div className="quiet small">
            {token.used_at
              ? t("created {day}, last used {used}", {
                  day: fullTime(token.created_at),
                  used: fullTime(token.used_at),
                })
              : t("created {day}, never used", { day: fullTime(token.created_at) })}
          </div>
        </>
      )}
      made={(token) => <Secret text={token.secret ?? ""} label={t("Copy token")} />}
    />
  );
}
