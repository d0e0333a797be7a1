import { useQuery } from "@tanstack/react-query";
import { ShieldOff } from "lucide-react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";

/** A sandboxed workspace needs no words. One that is not says so wherever it is used. */
export function Unsandboxed() {
  return (
    <span className="pill pill-bad" title={t("The agent's commands can access everything on this machine")}>
      <ShieldOff aria-hidden /> {t("not sandboxed")}
    </span>
  );
}

export function SandboxOf({ workspace }: { workspace: string }) {
  const { data } = useQuery({
    queryKey: ["workspace", workspace],
    queryFn: () => api.get(`/workspaces/${workspace}`),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data?.sandboxed === false ? <Unsandboxed /> : null;
}
