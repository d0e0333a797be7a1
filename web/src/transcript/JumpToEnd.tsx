import { ArrowDown } from "lucide-react";

export function JumpToEnd({ onJump }: { onJump: () => void }) {
  return (
    <button type="button" className="jump" onClick={onJump} aria-label="Scroll to the latest message">
      <ArrowDown aria-hidden />
    </button>
  );
}
