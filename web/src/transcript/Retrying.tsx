import { RotateCw } from "lucide-react";
import { api } from "../api/client.ts";
import type { RetryState } from "../api/types.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useMine } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { elapsed } from "../ui/format.ts";
import { useNow } from "../ui/now.ts";
import { useToasts } from "../ui/Toasts.tsx";

const TICK_MS = 250;

/** The countdown to the next attempt. */
export function Retrying({ retry }: { retry: RetryState }) {
  const live = useLiveChat();
  const mine = useMine();
  const { complain } = useToasts();
  const now = useNow({ every: TICK_MS });
  const seconds = Math.max(0, Math.ceil((Date.parse(retry.retrying_at) - now) / 1_000));
  return (
    <div className="retrying">
      <RotateCw aria-hidden />
      <div>
        <p>{seconds > 0 ? t("Retrying in {time}…", { time: elapsed(seconds * 1_000) }) : t("Retrying…")}</p>
        <p className="quiet small">
          {t("{error} Attempt {attempt}.", { error: retry.error, attempt: retry.attempt })}
        </p>
      </div>
      {mine && seconds > 0 && (
        <Button small onClick={() => void api.post(`/chats/${live.id}/retry`).catch(complain)}>
          {t("Retry now")}
        </Button>
      )}
    </div>
  );
}
