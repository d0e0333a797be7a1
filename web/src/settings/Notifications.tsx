import { useState } from "react";
import { askToNotify } from "../inbox/notify.ts";
import { Button } from "../ui/Button.tsx";
import { Section } from "./Section.tsx";

export function Notifications() {
  const [state, setState] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  const ask = () => void askToNotify().then((granted) => setState(granted ? "granted" : "denied"));
  return (
    <Section
      title="Notifications"
      about="The browser tells you when a chat finishes, fails or needs you, while you look elsewhere."
    >
      {state === "granted" && <p>Notifications are on in this browser.</p>}
      {state === "denied" && <p>This browser does not allow them. Its site settings can change that.</p>}
      {state === "default" && (
        <div>
          <Button look="primary" onClick={ask}>
            Turn on
          </Button>
        </div>
      )}
    </Section>
  );
}
