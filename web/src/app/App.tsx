/** The page's front door: who is looking decides what is shown. */

import { CloudOff } from "lucide-react";
import { useEffect } from "react";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { Login, SignInAgain } from "../login/Login.tsx";
import { MeContext, useSession } from "../page/session.ts";
import { Button } from "../ui/Button.tsx";
import { LeaveGuard } from "./LeaveGuard.tsx";
import { Shell } from "./Shell.tsx";

export function App() {
  const session = useSession();
  const { chats } = useStores();
  const { kind } = session;
  // Whoever comes back, to the page or through the door, has said what could not be sent.
  useEffect(() => {
    if (kind === "in") chats.resume();
  }, [kind, chats]);
  switch (session.kind) {
    case "loading":
      return <div className="boot" aria-busy="true" />;
    case "out":
      return <Login />;
    case "unreachable":
      return (
        <main className="empty boot">
          <CloudOff aria-hidden />
          <h1>{t("The server cannot be reached")}</h1>
          <p>{t("Nothing is lost: running chats continue on the server.")}</p>
          <Button look="primary" onClick={session.again}>
            {t("Try again")}
          </Button>
        </main>
      );
    case "in":
    case "expired":
      return (
        <MeContext value={session.me}>
          <div className="signed-in" inert={session.kind === "expired"}>
            <LeaveGuard>
              <Shell />
            </LeaveGuard>
          </div>
          {session.kind === "expired" && <SignInAgain />}
        </MeContext>
      );
  }
}
