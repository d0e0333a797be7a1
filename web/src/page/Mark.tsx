/** The product's mark: a line that comes back to itself. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="5 0 26 30" fill="none" aria-hidden="true" className="mark">
      <path
        d="M11 27V9.5A8 8 0 1 1 19 17.5h-3"
        stroke="currentColor"
        strokeWidth="3.4"
        strokeLinecap="round"
      />
      <circle cx="19" cy="9.5" r="1.9" fill="currentColor" />
    </svg>
  );
}
