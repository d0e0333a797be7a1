import { useEffect, useState } from "react";
import { progressOf } from "../chat/model/progress.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Facts } from "../ui/Facts.tsx";
import { elapsed, tokens } from "../ui/format.ts";

const TICK_MS = 1_000;

/** Since when the turn works, at which step, with how many tokens: told once a second. */
export function Progress() {
  const live = useLiveChat();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { started_at, step, output } = progressOf(live.state);
  const facts = [
    started_at && elapsed(Date.now() - Date.parse(started_at)),
    t("step {step}", { step }),
    output > 0 && t("{output} tokens", { output: tokens(output) }),
  ];
  return (
    <span className="progress">
      <Facts of={facts} />
    </span>
  );
}
