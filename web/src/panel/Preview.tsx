/** What the agent serves in its workspace: chosen by port, looked at in a frame, or in a tab of its own. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink, MonitorPlay, RefreshCw } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { OpenPort } from "../api/types.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { NoWorkspace } from "./NoWorkspace.tsx";

const LOOK_MS = 3_000;
const RUNS = "allow-scripts allow-forms allow-modals allow-popups allow-downloads";
/** On an origin of its own it keeps that; on the page's it would be the page. */
const ISOLATED = `${RUNS} allow-same-origin allow-popups-to-escape-sandbox`;

export default function Preview({ workspace }: { workspace: string | undefined }) {
  if (!workspace) return <NoWorkspace />;
  return <Ports key={workspace} workspace={workspace} />;
}

function Ports({ workspace }: { workspace: string }) {
  const { id } = useLiveChat();
  const [chosen, setChosen] = useState<number | null>(null);
  const { data, error } = useQuery({
    queryKey: ["ports", id],
    queryFn: () => api.get(`/chats/${id}/ports`),
    refetchInterval: LOOK_MS,
    retry: false,
  });
  if (error && !data) return <p className="panel-note quiet">{error.message}</p>;
  if (!data) return <Loading />;
  const port = chosen ?? data.ports[0]?.port;
  if (port === undefined) return data.running ? <Nothing /> : <Stopped workspace={workspace} />;
  const known = data.ports.some((entry) => entry.port === port);
  return <Shown key={port} chat={id} port={port} ports={data.ports} gone={!known} onChoose={setChosen} />;
}

function Nothing() {
  return (
    <div className="empty">
      <MonitorPlay aria-hidden />
      <p>{t("Nothing listens on a port yet. When the agent starts a server, you see it here.")}</p>
    </div>
  );
}

/** What it served has ended with it. Started again, it can be asked for anew. */
function Stopped({ workspace }: { workspace: string }) {
  const { id } = useLiveChat();
  const mine = useMine();
  const client = useQueryClient();
  const { complain } = useToasts();
  const [starting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      await api.post(`/workspaces/${workspace}/start`);
      await client.invalidateQueries({ queryKey: ["ports", id] });
    } catch (failure) {
      complain(failure);
    }
    setStarting(false);
  };
  return (
    <div className="empty">
      <MonitorPlay aria-hidden />
      <p>{t("The workspace is stopped.")}</p>
      {mine && (
        <Button onClick={() => void start()} disabled={starting} aria-busy={starting}>
          {t("Start workspace")}
        </Button>
      )}
    </div>
  );
}

interface ShownProps {
  chat: string;
  port: number;
  ports: readonly OpenPort[];
  gone: boolean;
  onChoose: (port: number) => void;
}

function Shown({ chat, port, ports, gone, onChoose }: ShownProps) {
  const [turn, setTurn] = useState(0);
  const { complain } = useToasts();
  const address = () => api.get(`/chats/${chat}/ports/${port}/url`);
  const { data, error } = useQuery({
    queryKey: ["preview", chat, port, turn],
    queryFn: address,
    // An address opens one frame, once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const open = async () => {
    // Opened while the click counts; where it leads is known a moment later.
    const tab = window.open("", "_blank");
    try {
      const { url } = await address();
      if (tab) {
        tab.opener = null;
        tab.location.href = url;
      }
    } catch (failure) {
      tab?.close();
      complain(failure);
    }
  };
  return (
    <div className="preview">
      <div className="panel-bar">
        <select
          className="grow preview-port"
          aria-label={t("Port")}
          value={port}
          onChange={(event) => onChoose(Number(event.target.value))}
        >
          {gone && <option value={port}>{port}</option>}
          {ports.map((entry) => (
            <option key={entry.port} value={entry.port}>
              {entry.command ? `${entry.port} · ${entry.command}` : entry.port}
            </option>
          ))}
        </select>
        <Button look="ghost" small label={t("Reload the preview")} onClick={() => setTurn(turn + 1)}>
          <RefreshCw />
        </Button>
        <Button look="ghost" small label={t("Open in a new tab")} onClick={() => void open()}>
          <ExternalLink />
        </Button>
      </div>
      {gone && (
        <p className="panel-note quiet" role="status">
          {t("Nothing listens on port {port} anymore.", { port: String(port) })}
        </p>
      )}
      {error && <p className="panel-note quiet">{error.message}</p>}
      {data && !data.isolated && <SandboxNote />}
      {data ? (
        <iframe
          key={data.url}
          className="preview-frame"
          title={t("Preview of port {port}", { port: String(port) })}
          src={data.url}
          sandbox={data.isolated ? ISOLATED : RUNS}
          referrerPolicy="no-referrer"
        />
      ) : (
        !error && <Loading />
      )}
    </div>
  );
}

/** What does not work where a preview has no origin of its own. */
function SandboxNote() {
  return (
    <p className="panel-note quiet">
      {t(
        "Shown in a sandbox: paths that begin with a slash, cookies and storage do not work here. With PERDURE_PREVIEW_URL set, they do.",
      )}
    </p>
  );
}
