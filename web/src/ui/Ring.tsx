/** A share as a ring. */
export function Ring({ share, size = 18 }: { share: number; size?: number }) {
  const length = 2 * Math.PI * 7;
  const tone = share > 0.85 ? "var(--bad)" : share > 0.65 ? "var(--warn)" : "var(--accent)";
  return (
    <svg width={size} height={size} viewBox="0 0 18 18" aria-hidden="true">
      <circle cx="9" cy="9" r="7" fill="none" stroke="var(--line-strong)" strokeWidth="2.4" />
      <circle
        cx="9"
        cy="9"
        r="7"
        fill="none"
        stroke={tone}
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeDasharray={`${Math.min(1, share) * length} ${length}`}
        transform="rotate(-90 9 9)"
      />
    </svg>
  );
}
