// A small chart of values over time, as SVG and as the table behind it.
import { useId } from 'react';
import { DataTable } from './data-table.js';

export interface Series {
  readonly name: string;
  /** Null where there is nothing to show. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** What each value belongs to, such as a time. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly kind?: 'line' | 'bars';
  format(value: number): string;
}

interface Point {
  readonly label: string;
  readonly at: number;
}

const width = 600;
const height = 150;

export function Chart({ title, labels, series, kind = 'line', format }: ChartProps) {
  const id = useId();
  const top = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const x = (at: number) => (labels.length < 2 ? 0 : (at / (labels.length - 1)) * width);
  const y = (value: number) => height - (top === 0 ? 0 : (value / top) * (height - 8));
  const last = series.map(({ name, values }) => `${name} ${say(values.at(-1) ?? null, format)}`).join(', ');
  return (
    <figure className="chart">
      <figcaption id={id}>
        <span className="chart-title">{title}</span>
        {series.map(({ name, values }, at) => (
          <span key={name} className={`legend is-series-${at + 1}`}>
            {name} <strong>{say(values.at(-1) ?? null, format)}</strong>
          </span>
        ))}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: now ${last}`}
      >
        <line className="chart-base" x1="0" x2={width} y1={height} y2={height} />
        <line className="chart-grid" x1="0" x2={width} y1={y(top / 2)} y2={y(top / 2)} />
        {series.map(({ name, values }, at) =>
          kind === 'bars' ? (
            <Bars key={name} values={values} y={y} />
          ) : (
            <path key={name} className={`chart-line is-series-${at + 1}`} d={toPath(values, x, y)} />
          ),
        )}
      </svg>
      <details>
        <summary>As a table</summary>
        <DataTable
          caption={title}
          rows={labels.map((label, at) => ({ label, at })).reverse()}
          keyOf={({ at }) => `${at}`}
          empty="Nothing yet."
          columns={[
            { title: 'Time', render: ({ label }: Point) => label },
            ...series.map(({ name, values }) => ({
              title: name,
              kind: 'number' as const,
              render: ({ at }: Point) => say(values[at] ?? null, format),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

interface BarsProps {
  readonly values: Series['values'];
  y(value: number): number;
}

function Bars({ values, y }: BarsProps) {
  const step = width / Math.max(values.length, 1);
  const bars = values.map((value, at) => ({ key: `${at}`, left: at * step + step * 0.12, top: y(value ?? 0) }));
  return bars.map(({ key, left, top }) => (
    <rect key={key} className="chart-bar" x={left} width={step * 0.76} y={top} height={height - top} />
  ));
}

function say(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

/** A gap where there is no value. */
function toPath(values: Series['values'], x: (at: number) => number, y: (value: number) => number): string {
  let isDrawing = false;
  return values
    .map((value, at) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const point = `${isDrawing ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      const dot = isDrawing ? '' : 'h0.01';
      isDrawing = true;
      return point + dot;
    })
    .join('');
}
