import { useLayoutEffect, useRef, useState } from "react";
import { t } from "../language/catalogue.ts";
import { ticksUpTo } from "./usage.ts";

interface Bar {
  label: string;
  value: number;
}

const HEIGHT = 180;
const LEFT = 56;
const BOTTOM = 22;
const TOP = 8;
/** As much room as a label takes. */
const LABEL = 64;

interface Props {
  what: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}

/** Bars between two axes; the table beneath has the numbers. */
export function BarChart({ what, bars, format }: Props) {
  const [figure, width] = useWidth();
  const most = Math.max(0, ...bars.map((bar) => bar.value));
  const ticks = ticksUpTo(most);
  const top = ticks.at(-1) || 1;
  const step = (width - LEFT) / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(LABEL / step));
  const y = (value: number) => TOP + (HEIGHT - TOP) * (1 - value / top);
  return (
    <figure className="chart" ref={figure}>
      <figcaption className="quiet small">{what}</figcaption>
      <svg
        width={width}
        height={HEIGHT + BOTTOM}
        role="img"
        aria-label={t("{what}: {count, plural, one {# bar} other {# bars}}, at most {most}", {
          what,
          count: bars.length,
          most: format(most),
        })}
      >
        {ticks.map((tick) => (
          <g key={tick} className="chart-tick">
            <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {bars.map((bar, at) => (
          <g key={`${at} ${bar.label}`}>
            <title>{`${bar.label}: ${format(bar.value)}`}</title>
            <rect
              x={LEFT + at * step + step * 0.15}
              y={y(bar.value)}
              width={Math.min(48, step * 0.7)}
              height={y(0) - y(bar.value)}
              rx={Math.min(3, step / 4)}
            />
            {at % every === 0 && LEFT + at * step + LABEL * 0.6 < width && (
              <text x={LEFT + at * step + step * 0.15} y={HEIGHT + 16}>
                {bar.label.slice(0, Math.floor((step * every) / 7))}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** How much room there is: text is as large on a phone as elsewhere. */
function useWidth(): [React.RefObject<HTMLElement | null>, number] {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    if (!element.current) return;
    const look = () => setWidth(Math.max(240, element.current?.clientWidth ?? 720));
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, []);
  return [element, width];
}
