import type { Session } from "../api/types.ts";
import { Button } from "../ui/Button.tsx";
import { fullTime } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";

export function Sessions() {
  const sessions = useResource<Session>("/sessions");
  const { complain } = useToasts();
  return (
    <Section title="Signed in" about="Where you are signed in.">
      <Problem error={sessions.error} />
      <ul className="rows">
        {sessions.items.map((session) => (
          <li key={session.id} className="card row-card">
            <div className="grow">
              <div className="truncate">{session.user_agent || session.address}</div>
              <div className="quiet small">since {fullTime(session.created_at)}</div>
            </div>
            {session.current ? (
              <span className="pill pill-good">here</span>
            ) : (
              <Button small onClick={() => void sessions.remove(session.id).catch(complain)}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
