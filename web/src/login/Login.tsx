import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { LoginMethods } from "../api/types.ts";
import { Mark } from "../app/Mark.tsx";
import { Button } from "../ui/Button.tsx";
import { TextField } from "../ui/Field.tsx";
import "./login.css";

type State = { phase: "asking" } | { phase: "checking" } | { phase: "refused"; reason: string };

/** Who are you? By password, or by whatever this deployment has set up. */
export function Login() {
  const { data: methods } = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get<LoginMethods>("/login/methods"),
    retry: false,
  });
  return (
    <main className="login">
      <div className="login-card">
        <Mark size={36} />
        <h1>Perdure</h1>
        <p className="quiet">Agent chats that survive everything.</p>
        {methods?.first_run && (
          <p className="login-note">
            This server is new. Open the one-time link that it printed when it started, or run{" "}
            <code>perdure users link</code>.
          </p>
        )}
        {methods?.password !== false && <PasswordForm />}
        {(methods?.oidc ?? []).map((way) => (
          <a key={way.slug} className="button button-plain" href={way.url}>
            Sign in with {way.name}
          </a>
        ))}
      </div>
    </main>
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
      await api.post("/login", { email: fields.get("email"), password: fields.get("password") });
      await client.resetQueries();
    } catch (error) {
      setState({ phase: "refused", reason: reasonOf(error) });
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField label="Email" name="email" type="email" autoComplete="username" required />
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
      {state.phase === "refused" && (
        <p className="field-error" role="alert">
          {state.reason}
        </p>
      )}
      <Button look="primary" type="submit" disabled={state.phase === "checking"}>
        Sign in
      </Button>
    </form>
  );
}
