/** MCP servers that everybody signs in to for themselves. */

import { useQueryClient } from "@tanstack/react-query";
import { Blocks } from "lucide-react";
import { useSearchParams } from "wouter";
import { api } from "../api/client.ts";
import type { McpServer } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useResource } from "./resource.ts";
import { Nothing, Problem, Section } from "./Section.tsx";

export function McpSignIns() {
  const servers = useResource("/mcp-servers");
  const [search] = useSearchParams();
  const outcome = search.get("sign_in");
  const wanting = servers.items.filter((server) => server.auth === "oauth" && server.enabled);
  return (
    <Section title={t("MCP sign-ins")} about={t("External tools that act on your behalf once you sign in.")}>
      <Problem error={servers.error} />
      {outcome === "done" && <p role="status">{t("You are signed in.")}</p>}
      {outcome === "refused" && (
        <p className="field-error" role="alert">
          {t("Sign-in failed. Try again, or ask an administrator.")}
        </p>
      )}
      <ul className="rows">
        {wanting.map((server) => (
          <SignIn key={server.id} server={server} />
        ))}
      </ul>
      {!servers.loading && !servers.error && wanting.length === 0 && (
        <Nothing icon={Blocks} title={t("Nothing to sign in to")}>
          {t(
            "Some MCP servers, such as a calendar or an issue tracker, act on your behalf. Those that an administrator sets up with OAuth appear here, and you sign in to each once.",
          )}
        </Nothing>
      )}
    </Section>
  );
}

function SignIn({ server }: { server: McpServer }) {
  const client = useQueryClient();
  const { complain } = useToasts();
  const path = `/mcp-servers/${server.id}/sign-in` as const;
  const leave = () => void api.post(path).then(({ url }) => location.assign(url), complain);
  const signOut = () =>
    void api
      .delete(path)
      .then(() => client.invalidateQueries({ queryKey: ["resource", "/mcp-servers"] }), complain);
  return (
    <li className="card row-card">
      <div className="grow">
        <strong>{server.name || server.slug}</strong>{" "}
        {server.signed_in && <span className="pill pill-good">{t("signed in")}</span>}
      </div>
      {server.signed_in ? (
        <Button small onClick={signOut}>
          {t("Sign out")}
        </Button>
      ) : (
        <Button small look="primary" onClick={leave}>
          {t("Sign in")}
        </Button>
      )}
    </li>
  );
}
