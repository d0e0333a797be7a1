/** Three columns: chats, conversation, panel. */

import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useStores } from "../chat/network/stores.ts";
import { NewChat } from "../chat/views/NewChat.tsx";
import { t } from "../language/catalogue.ts";
import { ChatList } from "../list/ChatList.tsx";
import { useShortcuts } from "../page/shortcuts.ts";
import { useStored } from "../page/stored.ts";
import { Divider } from "../ui/Divider.tsx";
import { Loading } from "../ui/Loading.tsx";
import { Away } from "./Away.tsx";
import { KeyboardMap } from "./KeyboardMap.tsx";
import { NotFound } from "./NotFound.tsx";
import { Palette } from "./Palette.tsx";
import { SharedChat } from "./SharedChat.tsx";
import { TopBar } from "./TopBar.tsx";
import "./shell.css";

const Settings = lazy(() => import("./Settings.tsx"));
const loadChat = () => import("../chat/views/ChatPage.tsx");
const ChatPage = lazy(loadChat);
// Who comes for a chat gets it together with the rest; who comes to begin one has it before they have said anything.
if (location.pathname.startsWith("/chats/")) void loadChat();

export type Overlay = "none" | "palette" | "keyboard" | "drawer";

export function Shell() {
  const { directory } = useStores();
  const [location, go] = useLocation();
  const [overlay, setOverlay] = useState<Overlay>("none");
  const [width, setWidth] = useStored("list-width", 292);
  const [folded, setFolded] = useStored("list-folded", false);
  useEffect(() => directory.watch(), [directory]);
  useEffect(() => void loadChat(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving somewhere closes the drawer
  useEffect(() => setOverlay("none"), [location]);
  useShortcuts({
    palette: () => setOverlay((before) => (before === "palette" ? "none" : "palette")),
    keyboard: () => setOverlay("keyboard"),
    newChat: () => go("/"),
    settings: () => go("/settings"),
    sidebar: () => setFolded(!folded),
  });
  /** On a phone the list is a drawer; elsewhere it comes back. */
  const openList = () => {
    setOverlay("drawer");
    setFolded(false);
  };
  const close = () => setOverlay("none");
  return (
    <div className="shell" data-drawer={overlay === "drawer"} data-folded={folded}>
      <a className="skip" href="#conversation">
        {t("Skip to the conversation")}
      </a>
      <Away />
      <div className="columns">
        <aside className="side" style={{ width }}>
          <TopBar onFold={() => setFolded(true)} />
          <ChatList onSearch={() => setOverlay("palette")} />
          <Divider
            label={t("Width of the chat list")}
            value={width}
            least={240}
            most={660}
            onChange={setWidth}
          />
        </aside>
        {overlay === "drawer" && (
          <button
            type="button"
            className="drawer-shade"
            aria-label={t("Close the chat list")}
            onClick={close}
          />
        )}
        <main className="middle" id="conversation" tabIndex={-1}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/">
                <NewChat onDrawer={openList} />
              </Route>
              <Route path="/chats/:id">{({ id }) => <ChatPage key={id} id={id} onDrawer={openList} />}</Route>
              <Route path="/settings/*?">
                <Settings area="settings" onDrawer={openList} />
              </Route>
              <Route path="/admin/*?">
                <Settings area="admin" onDrawer={openList} />
              </Route>
              <Route path="/shared/:link">{({ link }) => <SharedChat link={link} />}</Route>
              <Route path="/login">
                <Redirect to="/" />
              </Route>
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </main>
      </div>
      {overlay === "palette" && <Palette onClose={close} />}
      {overlay === "keyboard" && <KeyboardMap onClose={close} />}
    </div>
  );
}
