import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { fullTime } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";

const BROWSERS = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const SYSTEMS = {
  iPhone: "iPhone",
  iPad: "iPad",
  Android: "Android",
  Windows: "Windows",
  Mac: "macOS",
  Linux: "Linux",
};

/** A browser by the name people know it by; the first sign that fits is the most telling one. */
function browserOf(agent: string): string {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([sign]) => agent.includes(sign))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  return browser && system ? t("{browser} on {system}", { browser, system }) : agent;
}

export function Sessions() {
  const sessions = useResource("/sessions");
  const { complain } = useToasts();
  return (
    <Section title={t("Active sessions")} about={t("Devices on which you are signed in.")}>
      <Problem error={sessions.error} />
      <ul className="rows">
        {sessions.items.map((session) => (
          <li key={session.id} className="card row-card">
            <div className="grow">
              <div className="truncate" title={session.user_agent}>
                {browserOf(session.user_agent ?? "") || session.address}
              </div>
              <div className="quiet small">{t("since {day}", { day: fullTime(session.created_at) })}</div>
            </div>
            {session.current ? (
              <span className="pill pill-good">{t("This device")}</span>
            ) : (
              <Button small onClick={() => void sessions.remove(session.id).catch(complain)}>
                {t("Sign out")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
