import { ArrowDown, ArrowUpToLine, ChevronDown, ChevronUp } from "lucide-react";
import { keyNames } from "../app/shortcuts.ts";
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
    <div className="travel" data-away={away} role="group" aria-label="Go to">
      <Button look="plain" label="Start of the chat" title="Start of the chat (Home)" onClick={onStart}>
        <ArrowUpToLine />
      </Button>
      <Button
        look="plain"
        label="Previous question"
        title={`Previous question (${keyNames("⌥", "↑")})`}
        onClick={() => onQuestion(-1)}
      >
        <ChevronUp />
      </Button>
      <Button
        look="plain"
        label="Next question"
        title={`Next question (${keyNames("⌥", "↓")})`}
        onClick={() => onQuestion(1)}
      >
        <ChevronDown />
      </Button>
      {away && (
        <Button
          look="plain"
          label="Scroll to the latest message"
          title="Latest message (End)"
          onClick={onEnd}
        >
          <ArrowDown />
        </Button>
      )}
    </div>
  );
}
