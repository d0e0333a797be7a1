import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { LoginMethods, Me } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Filled, hole } from "../language/Filled.tsx";
import { Mark } from "../page/Mark.tsx";
import { Button } from "../ui/Button.tsx";
import { TextField } from "../ui/Field.tsx";
import { LanguageField } from "../ui/LanguageField.tsx";
import "./login.css";

type State = { phase: "asking" } | { phase: "checking" } | { phase: "refused"; reason: string };

/** Who are you? By password, or by whatever this deployment has set up. */
export function Login() {
  const methods = useMethods();
  return (
    <main className="login">
      <div className="login-card">
        <Mark size={36} />
        <h1>Perdure</h1>
        <p className="quiet">{t("Durable chats with AI agents.")}</p>
        {methods?.first_run && (
          <p className="login-note">
            <Filled
              text={t(
                "This server is new. Open the one-time link that it printed when it started, or run {command}.",
                hole("command"),
              )}
              command={<code>perdure users link</code>}
            />
          </p>
        )}
        <Ways methods={methods} />
        <LanguageField />
      </div>
    </main>
  );
}

/** The session ended under somebody's hands: everything stays where it is, behind this. */
export function SignInAgain() {
  const methods = useMethods();
  return (
    <div className="login login-over" role="dialog" aria-modal aria-labelledby="sign-in-again">
      <div className="login-card">
        <h2 id="sign-in-again">{t("Your session has ended")}</h2>
        <p className="quiet">{t("Sign in again to continue. Your draft is saved.")}</p>
        <Ways methods={methods} />
      </div>
    </div>
  );
}

function useMethods(): LoginMethods | undefined {
  const { data } = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get("/login/methods"),
    retry: false,
  });
  return data;
}

function Ways({ methods }: { methods: LoginMethods | undefined }) {
  return (
    <>
      {methods?.password !== false && <PasswordForm />}
      {(methods?.oidc ?? []).map((way) => (
        <a key={way.slug} className="button button-plain" href={way.url}>
          {t("Sign in with {name}", { name: way.name })}
        </a>
      ))}
    </>
  );
}

function PasswordForm() {
  const client = useQueryClient();
  const [state, setState] = useState<State>({ phase: "asking" });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setState({ phase: "checking" });
    try {
      const before = client.getQueryData<Me>(["me"]);
      const who = { email: fields.get("email"), password: fields.get("password") };
      const me = await api.post("/login", who);
      // Nothing of what one person had open is for another.
      if (before && before.id !== me.id) location.assign("/");
      else await client.invalidateQueries();
    } catch (error) {
      setState({ phase: "refused", reason: reasonOf(error) });
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField label={t("Email")} name="email" type="email" autoComplete="username" required />
      <TextField
        label={t("Password")}
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      {state.phase === "refused" && (
        <p className="field-error" role="alert">
          {state.reason}
        </p>
      )}
      <Button look="primary" type="submit" disabled={state.phase === "checking"}>
        {t("Sign in")}
      </Button>
    </form>
  );
}
