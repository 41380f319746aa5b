// One line for what of the audit log is wanted, its terms as chips, and a range.
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { toVisible } from '../../lib/visible.js';
import { chipsOf, type Filters, parseQuery, termNames, toQueryText } from './query.js';
import { parseTime } from './time-words.js';

interface SearchLineProps {
  readonly filters: Filters;
  onFilters(filters: Filters): void;
}

const ranges = [
  ['', 'All times'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['today', 'Today'],
  ['yesterday', 'Since yesterday'],
  ['7d', 'Last 7 days'],
] as const;

export function SearchLine({ filters, onFilters }: SearchLineProps) {
  const shown = toQueryText(filters);
  const [text, setText] = useState(shown);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [range, setRange] = useState('');
  useEffect(() => {
    setText(shown);
    setProblem(undefined);
  }, [shown]);
  const search = () => {
    const parsed = parseQuery(text, Date.now());
    setProblem(parsed.ok ? undefined : parsed.message);
    if (parsed.ok) onFilters(parsed.filters);
  };
  const chooseRange = (word: string) => {
    setRange(word);
    const { start_time: _start, end_time: _end, ...rest } = filters;
    const start = word === '' ? undefined : parseTime(word, Date.now());
    onFilters(start === undefined ? rest : { ...rest, start_time: start });
  };
  return (
    <search className="stack">
      <form
        className="search-line"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <TextField
          label="Search"
          type="search"
          placeholder="words, or agent:cursor outcome:failed since:yesterday"
          hint={`Terms: ${termNames.map((name) => `${name}:`).join(' ')}`}
          value={text}
          error={problem}
          onValue={setText}
        />
        <SelectField
          label="Range"
          value={filters.start_time === undefined ? '' : range}
          options={
            range === '' && filters.start_time !== undefined ? [['', 'As searched'], ...ranges.slice(1)] : ranges
          }
          onValue={chooseRange}
        />
        <Button type="submit" variant="primary">
          Show
        </Button>
      </form>
      {shown === '' ? null : (
        <ul className="chips" aria-label="Terms of the search">
          {chipsOf(filters).map(({ filter, text: term }) => (
            <li key={filter}>
              <button
                type="button"
                className="chip"
                onClick={() => {
                  const { [filter]: _gone, ...rest } = filters;
                  onFilters(rest);
                }}
              >
                {toVisible(term)} <span aria-hidden="true">×</span>
                <span className="visually-hidden">Remove</span>
              </button>
            </li>
          ))}
          <li>
            <Button variant="quiet" onClick={() => onFilters({})}>
              Clear
            </Button>
          </li>
        </ul>
      )}
    </search>
  );
}
