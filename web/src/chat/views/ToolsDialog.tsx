/** Which tools from elsewhere this chat may use: MCP servers, and the web. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { ChatSettings, McpServer } from "../../api/types.ts";
import { t } from "../../language/catalogue.ts";
import { APPROVERS } from "../../settings/approvers.ts";
import { ChatApprovals } from "../../settings/ChatApprovals.tsx";
import { Problem } from "../../settings/Section.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField, Switch } from "../../ui/Field.tsx";
import { useToasts } from "../../ui/Toasts.tsx";
import { useStores } from "../network/stores.ts";

export default function ToolsDialog({ chat, onClose }: { chat: string; onClose: () => void }) {
  const client = useQueryClient();
  const { chats } = useStores();
  const { complain } = useToasts();
  const key = ["chat-settings", chat];
  const view = useQuery({
    queryKey: key,
    queryFn: async () => (await api.get(`/chats/${chat}`)).settings,
    retry: false,
  });
  const servers = useQuery({
    queryKey: ["resource", "/mcp-servers"],
    queryFn: async () => (await api.get("/mcp-servers")).items,
    retry: false,
  });
  const settings = view.data;
  const set = (change: Partial<ChatSettings>) => {
    client.setQueryData(key, { ...settings, ...change });
    const sent = chats.get(chat).inOrder(() => api.patch(`/chats/${chat}`, change));
    sent.catch((error: unknown) => {
      client.setQueryData(key, settings);
      complain(error);
    });
  };
  const offered = (servers.data ?? []).filter((server) => server.enabled);
  return (
    <Dialog title={t("Tools of this chat")} onClose={onClose}>
      <div className="stack">
        <Problem error={view.error ?? servers.error} />
        {settings && (
          <>
            <Switch
              label={t("Web search, if the model's provider offers it")}
              checked={settings.web_search ?? false}
              onChange={(web_search) => set({ web_search })}
            />
            <h3>{t("MCP servers")}</h3>
            {offered.map((server) => (
              <Switch
                key={server.id}
                label={
                  server.availability === "forced_on"
                    ? t("{name}, always on", { name: nameOf(server) })
                    : nameOf(server)
                }
                checked={isOn(server, settings)}
                disabled={server.availability === "forced_on"}
                onChange={(on) => set({ mcp_servers: chosen(offered, settings, server, on) })}
              />
            ))}
            {servers.data && offered.length === 0 && (
              <p className="quiet">
                {t("No MCP servers are set up. An administrator can add them in Administration.")}
              </p>
            )}
            <ChatApprovals settings={settings} onChange={(approvals) => set({ approvals })} />
            <SelectField
              label={t("Who approves")}
              value={settings.approvers ?? "anybody"}
              options={APPROVERS}
              onChange={(approvers) => set({ approvers })}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

function nameOf({ name, slug }: McpServer): string {
  return name || slug;
}

/** A chat that chose nothing has the servers that are on by themselves. */
export function isOn({ slug, availability }: McpServer, { mcp_servers }: ChatSettings): boolean {
  if (availability === "forced_on") return true;
  return mcp_servers ? mcp_servers.includes(slug) : availability === "default_on";
}

export function chosen(
  offered: readonly McpServer[],
  settings: ChatSettings,
  changed: McpServer,
  on: boolean,
): string[] {
  return offered
    .filter((server) => server.availability !== "forced_on")
    .filter((server) => (server.id === changed.id ? on : isOn(server, settings)))
    .map((server) => server.slug);
}
