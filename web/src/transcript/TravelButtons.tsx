import { ArrowDown, ArrowUpToLine, ChevronDown, ChevronUp } from "lucide-react";
import { t } from "../language/catalogue.ts";
import { keyNames } from "../page/shortcuts.ts";
import { Button } from "../ui/Button.tsx";

interface Props {
  /** Whether the reader is away from the end. */
  away: boolean;
  onStart: () => void;
  onQuestion: (by: 1 | -1) => void;
  onEnd: () => void;
}

/** The ways through a long conversation, for whoever is on the way or points at it. */
export function TravelButtons({ away, onStart, onQuestion, onEnd }: Props) {
  return (
    <div className="travel" data-away={away} role="group" aria-label={t("Go to")}>
      <Button
        look="plain"
        label={t("Start of the chat")}
        title={t("Start of the chat (Home)")}
        onClick={onStart}
      >
        <ArrowUpToLine />
      </Button>
      <Button
        look="plain"
        label={t("Previous question")}
        title={t("Previous question ({keys})", { keys: keyNames("⌥", "↑") })}
        onClick={() => onQuestion(-1)}
      >
        <ChevronUp />
      </Button>
      <Button
        look="plain"
        label={t("Next question")}
        title={t("Next question ({keys})", { keys: keyNames("⌥", "↓") })}
        onClick={() => onQuestion(1)}
      >
        <ChevronDown />
      </Button>
      {away && (
        <Button
          look="plain"
          label={t("Scroll to the latest message")}
          title={t("Latest message (End)")}
          onClick={onEnd}
        >
          <ArrowDown />
        </Button>
      )}
    </div>
  );
}
