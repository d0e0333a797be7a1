/** Asks before somebody leaves what they have not saved: by a link, by the browser's buttons, or by closing the page. */

import { type ReactNode, useCallback, useEffect, useState } from "react";
import { Router } from "wouter";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { anyUnsaved } from "../ui/unsaved.ts";

type Leave = () => void;

export function LeaveGuard({ children }: { children: ReactNode }) {
  const [leave, setLeave] = useState<Leave | null>(null);
  const ask = useCallback((go: Leave) => setLeave(() => go), []);
  useEffect(() => guarded(ask), [ask]);
  const stay = () => setLeave(null);
  return (
    <Router
      aroundNav={(navigate, to, options) => {
        const go = () => navigate(to, options);
        if (anyUnsaved() && pathOf(to) !== location.pathname) ask(go);
        else go();
      }}
    >
      {children}
      {leave && (
        <Dialog title={t("Leave without saving?")} onClose={stay}>
          <div className="stack">
            <p>{t("What you changed on this page is not saved.")}</p>
            <div className="spread wrap">
              <Button look="primary" autoFocus onClick={stay}>
                {t("Keep editing")}
              </Button>
              <Button
                look="danger"
                onClick={() => {
                  stay();
                  leave();
                }}
              >
                {t("Discard and leave")}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </Router>
  );
}

const pathOf = (to: string | URL) => new URL(to, location.href).pathname;

interface Traversal extends Event {
  navigationType: string;
  destination: { key: string; url: string };
}
/** Not every browser has it; without it the back button does not ask. */
type Navigation = EventTarget & { traverseTo: (key: string) => void };

function guarded(ask: (go: Leave) => void): () => void {
  const navigation = (window as { navigation?: Navigation }).navigation;
  let meant: string | null = null;
  const closing = (event: BeforeUnloadEvent) => {
    if (anyUnsaved()) event.preventDefault();
  };
  const traversing = (event: Event) => {
    const { navigationType, cancelable, destination } = event as Traversal;
    if (navigationType !== "traverse" || !cancelable || destination.key === meant || !anyUnsaved()) return;
    event.preventDefault();
    ask(() => {
      meant = destination.key;
      navigation?.traverseTo(destination.key);
    });
  };
  addEventListener("beforeunload", closing);
  navigation?.addEventListener("navigate", traversing);
  return () => {
    removeEventListener("beforeunload", closing);
    navigation?.removeEventListener("navigate", traversing);
  };
}
