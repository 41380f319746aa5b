// Counts as bars that can be chosen, and as a table for those who do not see them.
import { formatCount } from '../lib/format.js';

interface BarChartProps {
  readonly label: string;
  /** What a bar is a count of: `Hour`. */
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly label: string; readonly count: number }[];
  /** Shows what a bar counts. */
  onBar(name: string): void;
}

const width = 720;
const height = 60;
const gap = 3;

export function BarChart({ label, unit, bars, onBar }: BarChartProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = width / Math.max(1, bars.length);
  const at = (part: number) => bars[Math.round((bars.length - 1) * part)]?.label ?? '';
  return (
    <figure className="bar-chart">
      <figcaption>
        {label}, at most {formatCount(most)}. A bar narrows the range to its hour.
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false" preserveAspectRatio="none">
        {bars.map(({ name, count }, index) => {
          const tall = count === 0 ? 1 : Math.max(3, (count / most) * height);
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table beside it has a button for each bar
            <g key={name} className="chart-slot" onClick={() => onBar(name)}>
              <rect className="chart-hit" x={index * step} y="0" width={step} height={height} />
              <rect x={index * step} y={height - tall} width={Math.max(1, step - gap)} height={tall}>
                <title>{`${name}: ${formatCount(count)}`}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <div className="series-ticks" aria-hidden="true">
        <span>{at(0)}</span>
        <span>{at(0.5)}</span>
        <span>{at(1)}</span>
      </div>
      <details>
        <summary>As a table</summary>
        <table className="data-table">
          <caption className="visually-hidden">{label}</caption>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col">Count</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ name, label: shown, count }) => (
              <tr key={name}>
                <th scope="row">{shown}</th>
                <td>
                  <button type="button" className="chip" onClick={() => onBar(name)}>
                    {formatCount(count)}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
