// Records over time, stacked by outcome, with the numbers above and the table behind. Every number leads to its records.
import type { Answers } from '@portico/client';
import { Link, useLocation } from 'wouter';
import { formatCount } from '../lib/format.js';
import { countIn, outcomes, type StatusPoint, stepText, tickOf, timesOf, totalsOf } from '../lib/status-series.js';
import { DataTable } from './data-table.js';
import { SeriesChart } from './series-chart.js';

interface OutcomeChartProps {
  readonly series: Answers['getAuditSeries'];
  /** `records` or `calls`: what is counted. */
  readonly unit: string;
  /** The address of the records that have these terms besides those of the chart. */
  pathOf(terms: Readonly<Record<string, string>>): string;
}

const ticks = 5;

export function OutcomeChart({ series, unit, pathOf }: OutcomeChartProps) {
  const [, go] = useLocation();
  const { points, step_secs: step } = series;
  const shown = outcomes.filter(({ status }) => status !== 'cancelled' || points.some((point) => point.cancelled > 0));
  const labels = Array.from({ length: ticks }, (_, at) => {
    const point = points[Math.min(points.length - 1, Math.round((at * points.length) / (ticks - 1)))];
    return point === undefined ? '' : tickOf(point.start, step, points.length);
  });
  return (
    <SeriesChart
      title={`${unit.charAt(0).toUpperCase()}${unit.slice(1)} in ${stepText(step)}`}
      kind="bars"
      ticks={points.length < ticks ? labels.slice(0, 1) : labels}
      format={(value) => formatCount(Number(value.toFixed(1)))}
      series={shown.map(({ status, word, tone }) => ({
        name: word,
        tone,
        values: points.map((point) => point[status]),
      }))}
      table={<PointTable series={series} unit={unit} pathOf={pathOf} />}
      onBar={(at) => {
        const point = points[at];
        if (point !== undefined && countIn(point) > 0) go(pathOf(timesOf(point, step)));
      }}
    />
  );
}

function PointTable({ series: { points, step_secs: step }, unit, pathOf }: OutcomeChartProps) {
  const countLink = (point: StatusPoint, count: number, terms: Readonly<Record<string, string>> = {}) =>
    count === 0 ? (
      <span className="muted">0</span>
    ) : (
      <Link href={pathOf({ ...timesOf(point, step), ...terms })}>{formatCount(count)}</Link>
    );
  return (
    <DataTable
      caption={`${unit} over time`}
      rows={points.filter((point) => countIn(point) > 0).reverse()}
      keyOf={({ start }) => start}
      empty={`There are no ${unit}.`}
      columns={[
        { title: 'From', render: ({ start }) => tickOf(start, step, points.length) },
        { title: 'All', kind: 'number', render: (point) => countLink(point, countIn(point)) },
        ...outcomes.map(({ status, word }) => ({
          title: word,
          kind: 'number' as const,
          render: (point: StatusPoint) => countLink(point, point[status], { status }),
        })),
      ]}
    />
  );
}

/** How many there are of each outcome, each with a link to them. */
export function OutcomeFigures({ series, unit, pathOf }: OutcomeChartProps) {
  const totals = totalsOf(series.points);
  return (
    <p className="figure-line">
      <Link href={pathOf({})}>
        <strong>{formatCount(series.total)}</strong> {series.total === 1 ? unit.replace(/s$/, '') : unit}
      </Link>
      {outcomes
        .filter(({ status }) => totals[status] > 0)
        .map(({ status, word }) => (
          <Link key={status} href={pathOf({ status })}>
            <strong>{formatCount(totals[status])}</strong> {word}
          </Link>
        ))}
    </p>
  );
}
