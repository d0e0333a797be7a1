/** The right column: what changed, the files, what is served, a terminal, what it cost, and what was sent. */

import { X } from "lucide-react";
import { lazy, Suspense } from "react";
import type { ChatState } from "../chat/model/state.ts";
import { useChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { useStored } from "../page/stored.ts";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { Changes } from "./Changes.tsx";
import { DebugRuns } from "./DebugRuns.tsx";
import { Summary } from "./Summary.tsx";
import "./panel.css";

const Files = lazy(() => import("./Files.tsx"));
const Preview = lazy(() => import("./Preview.tsx"));
const TerminalTab = lazy(() => import("./TerminalTab.tsx"));

type Name = "changes" | "files" | "preview" | "terminal" | "summary" | "debug";
const TABS: { name: Name; label: string }[] = [
  { name: "changes", label: t("Changes") },
  { name: "files", label: t("Files") },
  { name: "preview", label: t("Preview") },
  { name: "terminal", label: t("Terminal") },
  { name: "summary", label: t("Summary") },
  { name: "debug", label: t("Debug") },
];

const selectWorkspace = (chat: ChatState) => chat.card?.workspace_id;

export default function Panel({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const workspace = useChat(selectWorkspace);
  const [tab, setTab] = useStored<Name>("panel-tab", "changes");
  const tabs = TABS.filter((entry) => entry.name !== "debug" || mayAdminister(me) || me.role === "auditor");
  return (
    <>
      <header className="panel-head">
        <Tabs label={t("Panel")} tabs={tabs} current={tab} onSelect={setTab} />
        <span className="grow" />
        <Button look="ghost" label={t("Close the panel")} onClick={onClose}>
          <X />
        </Button>
      </header>
      <div
        className="panel-body"
        role="tabpanel"
        aria-label={TABS.find((entry) => entry.name === tab)?.label}
      >
        {tab === "changes" && <Changes workspace={workspace} />}
        {tab === "files" && (
          <Suspense fallback={<Loading />}>
            <Files workspace={workspace} />
          </Suspense>
        )}
        {tab === "preview" && (
          <Suspense fallback={<Loading />}>
            <Preview workspace={workspace} />
          </Suspense>
        )}
        {tab === "terminal" && (
          <Suspense fallback={<Loading />}>
            <TerminalTab key={workspace} workspace={workspace} />
          </Suspense>
        )}
        {tab === "summary" && <Summary />}
        {tab === "debug" && <DebugRuns />}
      </div>
    </>
  );
}
