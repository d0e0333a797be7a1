interface Bar {
  label: string;
  value: number;
}

const HEIGHT = 140;
const WIDTH = 720;

interface Props {
  what: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}

/** Bars with the highest one named; the table beneath has the numbers. */
export function BarChart({ what, bars, format }: Props) {
  const most = Math.max(0, ...bars.map((bar) => bar.value));
  if (most === 0) return null;
  const step = WIDTH / bars.length;
  const width = Math.min(48, step * 0.7);
  return (
    <figure className="chart">
      <figcaption className="quiet small">
        {what}, at most {format(most)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} role="img" aria-label={`${what} as bars`}>
        {bars.map((bar, at) => {
          const height = (bar.value / most) * HEIGHT;
          return (
            <g key={bar.label}>
              <title>{`${bar.label}: ${format(bar.value)}`}</title>
              <rect
                x={at * step + (step - width) / 2}
                y={HEIGHT - height}
                width={width}
                height={Math.max(1, height)}
                rx={3}
              />
              {bars.length <= 12 && (
                <text x={at * step + step / 2} y={HEIGHT + 14} textAnchor="middle">
                  {bar.label.slice(0, 12)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
