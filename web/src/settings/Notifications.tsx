import { useState } from "react";
import { reasonOf } from "../api/errors.ts";
import { askToNotify } from "../inbox/notify.ts";
import { canPush, pushes, startPush, stopPush } from "../inbox/push.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Section } from "./Section.tsx";

/** `open`: told while a page of ours is open somewhere. `always`: told by push, too. */
type Telling =
  | { kind: "never" }
  | { kind: "refused" }
  | { kind: "open"; problem?: string }
  | { kind: "always" };

function now(): Telling {
  if (!("Notification" in window) || Notification.permission === "denied") return { kind: "refused" };
  if (Notification.permission === "default") return { kind: "never" };
  return pushes() ? { kind: "always" } : { kind: "open" };
}

export function Notifications() {
  const [telling, setTelling] = useState(now);
  const turnOn = async () => {
    if (!(await askToNotify())) return setTelling(now());
    try {
      if (canPush()) await startPush();
      setTelling(now());
    } catch (error) {
      setTelling({ kind: "open", problem: reasonOf(error) });
    }
  };
  const turnOff = async () => {
    await stopPush().catch(() => {});
    setTelling(now());
  };
  return (
    <Section
      title={t("Notifications")}
      about={t("Get a browser notification when a chat finishes, fails or needs you.")}
    >
      <p role="status">{WORDS[telling.kind]}</p>
      {telling.kind === "open" && telling.problem && <p className="field-error">{telling.problem}</p>}
      <div>
        {telling.kind === "always" && <Button onClick={() => void turnOff()}>{t("Turn off")}</Button>}
        {telling.kind === "never" && (
          <Button look="primary" onClick={() => void turnOn()}>
            {t("Turn on")}
          </Button>
        )}
        {telling.kind === "open" && canPush() && (
          <Button look="primary" onClick={() => void turnOn()}>
            {t("Also when Perdure is closed")}
          </Button>
        )}
      </div>
    </Section>
  );
}

const WORDS: Record<Telling["kind"], string> = {
  never: t("Notifications are off in this browser."),
  refused: t("Notifications are blocked. You can allow them in the site settings of your browser."),
  open: t("Notifications are on in this browser while Perdure is open."),
  always: t("Notifications are on in this browser, also when Perdure is closed."),
};
