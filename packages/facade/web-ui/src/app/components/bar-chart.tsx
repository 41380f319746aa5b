// Counts as bars, and as a table for those who do not see them.
import { formatCount } from '../lib/format.js';

interface BarChartProps {
  readonly label: string;
  /** What a bar stands for: `Hour`. */
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly count: number }[];
}

const width = 720;
const height = 120;
const gap = 3;

export function BarChart({ label, unit, bars }: BarChartProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = width / Math.max(1, bars.length);
  return (
    <figure className="bar-chart">
      <figcaption>
        {label}, at most {formatCount(most)}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false" preserveAspectRatio="none">
        {bars.map(({ name, count }, index) => {
          const tall = count === 0 ? 1 : Math.max(3, (count / most) * height);
          return (
            <rect key={name} x={index * step} y={height - tall} width={Math.max(1, step - gap)} height={tall}>
              <title>{`${name}: ${formatCount(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            <th scope="col">Count</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
