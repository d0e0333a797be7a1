/** One chat: its conversation, its composer, and the panel beside it. */

import { Compass, Lock } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { ChatComposer } from "../../composer/ChatComposer.tsx";
import { t } from "../../language/catalogue.ts";
import { useShortcuts } from "../../page/shortcuts.ts";
import { useStored } from "../../page/stored.ts";
import { PastBar } from "../../transcript/PastBar.tsx";
import { ReaderBar } from "../../transcript/ReaderBar.tsx";
import { Transcript } from "../../transcript/Transcript.tsx";
import { Divider } from "../../ui/Divider.tsx";
import { Loading } from "../../ui/Loading.tsx";
import { LiveChatContext } from "../network/hooks.ts";
import type { Gone } from "../network/live.ts";
import { useMayWrite } from "../network/people.ts";
import { useReadMarker } from "../network/readMarker.ts";
import { useStores } from "../network/stores.ts";
import { VersionsProvider } from "../network/VersionsProvider.tsx";
import { useVersions } from "../network/versionsContext.ts";
import { ChatHeader } from "./ChatHeader.tsx";
import "./chat.css";

const Panel = lazy(() => import("../../panel/Panel.tsx"));

export default function ChatPage({ id, onDrawer }: { id: string; onDrawer: () => void }) {
  const { chats } = useStores();
  const live = useMemo(() => chats.get(id), [chats, id]);
  const [panel, setPanel] = useStored("panel-open", false);
  const [width, setWidth] = useStored("panel-width", 460);
  useEffect(() => live.follow(), [live]);
  useReadMarker(live);
  const gone = useSyncExternalStore(live.subscribe, () => live.gone);
  useShortcuts({
    panel: () => setPanel(!panel),
    composer: () => document.querySelector<HTMLTextAreaElement>(".composer textarea")?.focus(),
  });
  if (gone) return <GoneChat gone={gone} />;
  return (
    <LiveChatContext value={live}>
      <section className="conversation" aria-label={t("Chat")}>
        <ChatHeader panel={panel} onPanel={() => setPanel(!panel)} onDrawer={onDrawer} />
        <VersionsProvider>
          <h2 className="only-spoken">{t("Conversation")}</h2>
          <Transcript />
          <Answering />
        </VersionsProvider>
      </section>
      {panel && (
        <>
          <Divider
            label={t("Width of the panel")}
            value={width}
            least={360}
            most={1100}
            reversed
            onChange={setWidth}
          />
          <aside className="panel" style={{ width }} aria-label={t("Panel")}>
            <Suspense fallback={<Loading />}>
              <Panel onClose={() => setPanel(false)} />
            </Suspense>
          </aside>
        </>
      )}
    </LiveChatContext>
  );
}

/** Where one answers; or how to leave an earlier version. Escape stops the one and leaves the other. */
function Answering() {
  const { past, backToNow } = useVersions();
  const writes = useMayWrite();
  const stop = () => {
    // What the button does, it asks first where messages wait.
    document.querySelector<HTMLElement>(".composer .stop:not(:disabled)")?.click();
  };
  useShortcuts({ stop: past ? backToNow : stop });
  if (past) return <PastBar />;
  return writes ? <ChatComposer /> : <ReaderBar />;
}

function GoneChat({ gone }: { gone: Gone }) {
  return (
    <div className="empty grow">
      {gone.status === 404 ? <Compass aria-hidden /> : <Lock aria-hidden />}
      <h1>{gone.status === 404 ? t("Chat not found") : t("You do not have access to this chat")}</h1>
      <p>{gone.status === 404 ? t("It was deleted, or is no longer shared with you.") : gone.reason}</p>
      <Link href="/" className="button button-primary">
        {t("Start a new chat")}
      </Link>
    </div>
  );
}
