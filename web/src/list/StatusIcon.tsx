import { CircleAlert, CircleHelp, CirclePause } from "lucide-react";
import type { ChatCard } from "../api/types.ts";
import { t } from "../language/catalogue.ts";

/** A chat's state as one small sign. A chat at rest shows a dot only when it is unread. */
export function StatusIcon({ card }: { card: ChatCard }) {
  if (card.status === "running" && card.waiting_for_capacity)
    return <CirclePause className="status" aria-label={t("Waiting for capacity")} />;
  if (card.status === "running" || card.status === "interrupting") {
    return <span className="status status-running" role="img" aria-label={t("Working")} />;
  }
  if (card.status === "requires_action" && card.action === "children")
    return <span className="status status-running" role="img" aria-label={t("Waiting for agents")} />;
  if (card.status === "requires_action" || (card.status === "waiting" && card.asks))
    return <CircleHelp className="status status-ask" aria-label={t("Needs you")} />;
  if (card.status === "error") return <CircleAlert className="status status-error" aria-label={t("Error")} />;
  return (
    <span
      className={`status ${card.unread ? "status-unread" : "status-rest"}`}
      role="img"
      aria-label={card.unread ? t("Unread") : t("Idle")}
    />
  );
}
