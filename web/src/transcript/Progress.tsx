import { progressOf } from "../chat/model/progress.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { t } from "../language/catalogue.ts";
import { Facts } from "../ui/Facts.tsx";
import { elapsed, tokens } from "../ui/format.ts";
import { useNow } from "../ui/now.ts";

/** Since when the turn works, at which step, with how many tokens: told once a second. */
export function Progress() {
  const live = useLiveChat();
  const now = useNow();
  const { started_at, step, output } = progressOf(live.state);
  const facts = [
    started_at && elapsed(now - Date.parse(started_at)),
    t("step {step}", { step }),
    output > 0 && t("{output} tokens", { output: tokens(output) }),
  ];
  return (
    <span className="progress">
      <Facts of={facts} />
    </span>
  );
}
