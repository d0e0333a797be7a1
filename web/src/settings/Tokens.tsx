/** Keys for programs that speak on one's behalf. */

import { Ticket } from "lucide-react";
import type { Token } from "../api/types.ts";
import { fullTime } from "../ui/format.ts";
import type { FieldSpec } from "./form.tsx";
import { ResourcePage } from "./ResourcePage.tsx";
import { Secret } from "./Secret.tsx";

const SCOPES = [
  { value: "read", label: "Read", about: "See your chats and settings, change nothing." },
  { value: "chat", label: "Chat", about: "Begin chats, send messages and decide, as you do." },
  { value: "admin", label: "Administer", about: "Change providers, people and policies, where you may." },
];
const TOKEN: FieldSpec[] = [
  { name: "name", label: "Name", required: true, placeholder: "deploy bot" },
  { name: "scopes", label: "May", kind: "several", options: SCOPES },
  {
    name: "expires_in_days",
    label: "Expires after (days)",
    kind: "number",
    hint: "Leave empty for no expiry.",
  },
];

export function Tokens() {
  return (
    <ResourcePage<Token>
      title="API tokens"
      about="For programs that act on your behalf. A token has your permissions."
      path="/tokens"
      noun="token"
      fields={TOKEN}
      initial={{ scopes: ["chat"] }}
      fixed
      nothing={{
        icon: Ticket,
        title: "No tokens yet",
        words:
          "A script, a bot or a build machine signs in with a token. It is shown once, when you make it.",
      }}
      idOf={(token) => token.id}
      row={(token) => (
        <>
          <strong>{token.name}</strong> <code>…{token.hint}</code>{" "}
          <span className="pill">{token.scopes.join(", ")}</span>
          <div className="quiet small">
            made {fullTime(token.created_at)}
            {token.used_at ? `, last used ${fullTime(token.used_at)}` : ", never used"}
          </div>
        </>
      )}
      made={(token) => <Secret text={token.secret ?? ""} label="Copy token" />}
    />
  );
}
