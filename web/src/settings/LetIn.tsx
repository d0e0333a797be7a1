/** A program that sent somebody here asks for a token: they let it in, or do not. */

import { useState } from "react";
import { useSearchParams } from "wouter";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { answerOf, programOf } from "./program.ts";
import { Section } from "./Section.tsx";

export function LetIn() {
  const [fields, setFields] = useSearchParams();
  const { complain } = useToasts();
  const [busy, setBusy] = useState(false);
  const asked = programOf(fields);
  if (!asked) return null;
  const { client_id, redirect_uri, code_challenge } = asked;
  const allow = () => {
    setBusy(true);
    api.post("/tokens/codes", { client_id, redirect_uri, code_challenge }).then(
      ({ code, issuer }) => location.assign(answerOf(asked, { code, iss: issuer })),
      (error: unknown) => {
        setBusy(false);
        complain(error);
      },
    );
  };
  return (
    <Section
      title={t("{name} wants to use your chats", { name: asked.name })}
      about={t(
        "It gets a token for 90 days that can do what you can do in chats, and nothing in Administration. You come back to {host}.",
        { host: asked.host },
      )}
    >
      <div className="spread wrap">
        <Button look="primary" disabled={busy} onClick={allow}>
          {t("Let it in")}
        </Button>
        <Button disabled={busy} onClick={() => setFields({})}>
          {t("Do not let it in")}
        </Button>
      </div>
    </Section>
  );
}
