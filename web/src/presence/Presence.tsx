import type { ChatState } from "../chat/model/state.ts";
import { useChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import "./presence.css";

const selectPeople = (chat: ChatState) => chat.people;
const MOST_SHOWN = 5;

/** The others who look at this chat right now. Nothing while one is alone. */
export function PresentPeople() {
  const me = useMe();
  const others = useChat(selectPeople).filter((person) => person.id !== me.id);
  if (others.length === 0) return null;
  const names = others.map((person) => person.name).join(", ");
  return (
    <span className="present" role="img" aria-label={t("Here now: {names}", { names })} title={names}>
      {others.slice(0, MOST_SHOWN).map((person) => (
        <span key={person.id} className="initial" aria-hidden>
          {[...person.name][0]?.toUpperCase() ?? "?"}
        </span>
      ))}
      {others.length > MOST_SHOWN && <span className="initial">+{others.length - MOST_SHOWN}</span>}
    </span>
  );
}

/** Who is writing something. */
export function Typing() {
  const me = useMe();
  const typing = useChat(selectPeople).filter((person) => person.typing && person.id !== me.id);
  const names = typing.map((person) => person.name).join(", ");
  return (
    <p className="typing quiet small" aria-live="polite">
      {typing.length > 0 &&
        t("{count, plural, one {{names} is typing…} other {{names} are typing…}}", {
          count: typing.length,
          names,
        })}
    </p>
  );
}
