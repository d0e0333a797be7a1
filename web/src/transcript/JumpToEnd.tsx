import { ArrowDown } from "lucide-react";

export function JumpToEnd({ onJump }: { onJump: () => void }) {
  return (
    <button type="button" className="jump" onClick={onJump} aria-label="Go to the newest message">
      <ArrowDown aria-hidden />
    </button>
  );
}
