import { CornerDownLeft, GitFork, History } from "lucide-react";
import { useFork } from "../chat/network/fork.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { useVersions } from "../chat/network/versionsContext.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";

/** In the composer's place while an earlier version is read: it cannot be answered, only left or gone on from. */
export function PastBar() {
  const { past, backToNow } = useVersions();
  const fork = useFork(useLiveChat().id);
  const mine = useMine();
  const last = past?.at(-1)?.number;
  return (
    <div className="composer-place">
      <section className="past-bar" aria-label={t("Earlier version")}>
        <History aria-hidden />
        <p className="grow" role="status">
          <strong>{t("An earlier version")}</strong> <span className="quiet">{t("(read-only)")}</span>
        </p>
        <div className="spread">
          {mine && (
            <Button onClick={() => last !== undefined && void fork(last)}>
              <GitFork /> {t("Continue in a new chat")}
            </Button>
          )}
          <Button look="primary" onClick={backToNow}>
            <CornerDownLeft /> {t("Back to the latest version")}
          </Button>
        </div>
      </section>
    </div>
  );
}
