// Bars or lines over time with two axes, and the table behind them. Text is outside of the picture, so that it keeps its size.
import { type ReactNode, useId } from 'react';
import { topOf } from '../lib/series.js';

export interface ChartSeries {
  readonly name: string;
  /** Null if there is nothing to show. Bars are stacked in the order of the series. */
  readonly values: readonly (number | null)[];
  readonly tone: 'main' | 'bad' | 'warn' | 'info' | 'second' | 'quiet';
}

interface SeriesChartProps {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  readonly series: readonly ChartSeries[];
  /** Below the chart, evenly spread. */
  readonly ticks: readonly string[];
  format(value: number): string;
  /** The table behind it. */
  readonly table: ReactNode;
  readonly onBar?: ((at: number) => void) | undefined;
}

const width = 600;
const height = 120;

export function SeriesChart({ title, kind, series, ticks, format, table, onBar }: SeriesChartProps) {
  const id = useId();
  const count = series[0]?.values.length ?? 0;
  const sums = Array.from({ length: count }, (_, at) => series.map(({ values }) => values[at] ?? 0));
  const top = topOf(sums.map((parts) => (kind === 'bars' ? parts.reduce((a, b) => a + b, 0) : Math.max(...parts))));
  const y = (value: number) => height - (value / top) * height;
  return (
    <figure className="series-chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span className="chart-title">{title}</span>
        {series.map(({ name, tone }) => (
          <span key={name} className={`legend is-${tone}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div className="series-plot">
        <div className="series-axis" aria-hidden="true">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
          {[0, top / 2, top].map((value) => (
            <line key={value} className="chart-grid" x1="0" x2={width} y1={y(value)} y2={y(value)} />
          ))}
          {kind === 'bars' ? (
            <Bars series={series} y={y} onBar={onBar} />
          ) : (
            series.map(({ name, tone, values }) => (
              <path key={name} className={`chart-line is-${tone}`} d={toPath(values, y)} />
            ))
          )}
        </svg>
        <div className="series-ticks" aria-hidden="true">
          {ticks.map((tick, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two ticks may read the same
            <span key={at}>{tick}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>As a table</summary>
        {table}
      </details>
    </figure>
  );
}

interface BarsProps extends Pick<SeriesChartProps, 'series' | 'onBar'> {
  y(value: number): number;
}

function Bars({ series, y, onBar }: BarsProps) {
  const count = series[0]?.values.length ?? 0;
  const step = width / Math.max(count, 1);
  return Array.from({ length: count }, (_, at) => {
    let below = 0;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the table behind the chart has a link for each bar
      // biome-ignore lint/suspicious/noArrayIndexKey: bars keep their places
      <g key={at} className="chart-slot" onClick={onBar === undefined ? undefined : () => onBar(at)}>
        <rect className="chart-hit" x={at * step} y="0" width={step} height={height} />
        {series.map(({ name, tone, values }) => {
          const value = values[at] ?? 0;
          const from = below;
          below += value;
          if (value === 0) return null;
          const tall = y(from) - y(below);
          return (
            <rect
              key={name}
              className={`chart-bar is-${tone}`}
              x={at * step + step * 0.1}
              width={step * 0.8}
              y={y(below)}
              height={tall}
            />
          );
        })}
      </g>
    );
  });
}

/** A gap where there is no value, a point where there is none beside it. */
function toPath(values: ChartSeries['values'], y: (value: number) => number): string {
  const step = width / Math.max(values.length, 1);
  let isDrawing = false;
  return values
    .map((value, at) => {
      const wasDrawing = isDrawing;
      isDrawing = value !== null;
      if (value === null) return '';
      return `${wasDrawing ? 'L' : 'M'}${((at + 0.5) * step).toFixed(1)} ${y(value).toFixed(1)}${wasDrawing ? '' : 'h0.01'}`;
    })
    .join('');
}
