import { CircleSlash2, GitFork, Scissors } from "lucide-react";
import { durationOf, type Turn } from "../chat/model/turn.ts";
import { useFork } from "../chat/network/fork.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { useSay } from "../chat/network/send.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Facts } from "../ui/Facts.tsx";
import { duration, money, tokens } from "../ui/format.ts";
import { useToasts } from "../ui/Toasts.tsx";
import { useForkedFiles } from "./filesBack.tsx";
import { Regenerate } from "./Regenerate.tsx";

/** What a turn took. The last one says so when it was cut short, and offers to go on. */
export function TurnFooter({ turn, last }: { turn: Turn; last: boolean }) {
  const ms = durationOf(turn);
  const facts = [
    ms !== null && duration(ms),
    turn.model,
    turn.effort && turn.effort !== "none" && termOf(turn.effort),
    turn.output > 0 &&
      t("{input} in, {output} out", { input: tokens(turn.input), output: tokens(turn.output) }),
    turn.cost !== null && money(turn.cost),
    turn.files.length > 0 &&
      t("{count, plural, one {# file changed} other {# files changed}}", { count: turn.files.length }),
  ];
  return (
    <footer className="turn">
      {turn.ending !== "complete" && <Ending turn={turn} last={last} />}
      <div className="turn-facts">
        <span className="turn-buttons">
          <CopyButton text={() => turn.text} label={t("Copy answer")} />
          <Regenerate number={turn.number} model={turn.model} />
          <ForkButton after={turn.until} />
        </span>
        <span title={turn.files.join("\n") || undefined}>
          <Facts of={facts} />
        </span>
      </div>
    </footer>
  );
}

function Ending({ turn, last }: { turn: Turn; last: boolean }) {
  const say = useSay();
  const mine = useMine();
  const interrupted = turn.ending === "interrupted";
  return (
    <div className="turn-ending">
      {interrupted ? <CircleSlash2 aria-hidden /> : <Scissors aria-hidden />}
      <span>{interrupted ? t("Interrupted") : t("The answer reached the output limit")}</span>
      {last && mine && (
        <Button small onClick={() => void say({ text: t("Continue.") })}>
          {t("Continue")}
        </Button>
      )}
    </div>
  );
}

function ForkButton({ after }: { after: number }) {
  const live = useLiveChat();
  const fork = useFork(live.id);
  const mine = useMine();
  const { complain } = useToasts();
  const [ask, dialog] = useForkedFiles(live.id);
  if (!mine) return null;
  const forked = async () => {
    const wish = await ask(after + 1);
    if (wish) await fork(after, wish);
  };
  return (
    <>
      <Button look="ghost" small label={t("Fork from here")} onClick={() => void forked().catch(complain)}>
        <GitFork />
      </Button>
      {dialog}
    </>
  );
}
