// The one component of all screens: draws the lines of a state and passes keys on without interpreting them.
import { Box, Text, type TextProps, useInput, useStdout } from 'ink';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { toKeys } from './keys.js';
import type { Size, ToLines, Tone } from './lines.js';
import type { Store } from './store.js';

export interface ScreenProps<State> {
  readonly store: Store<State>;
  readonly toLines: ToLines<State>;
  readonly onKey: (key: string) => void;
}

const styles: Readonly<Record<Tone, TextProps>> = {
  plain: {},
  strong: { bold: true },
  faint: { dimColor: true },
  good: { color: 'green' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
};

export function Screen<State>({ store, toLines, onKey }: ScreenProps<State>) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const size = useSize();
  useInput((input, key) => {
    for (const name of toKeys(input, key)) onKey(name);
  });
  const lines = toLines(state, size).slice(0, size.rows);
  return (
    <Box flexDirection="column" width={size.columns}>
      {lines.map(({ pieces, isSelected }, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of a screen is its row
        <Text key={row} wrap="truncate-end" inverse={isSelected}>
          {pieces.length === 0 || pieces.every(({ text }) => text === '') ? ' ' : null}
          {pieces.map(({ text, tone }, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a line is its place in it
            <Text key={column} {...styles[tone]}>
              {text}
            </Text>
          ))}
        </Text>
      ))}
    </Box>
  );
}

/** One row less than the terminal has: output that fills it makes Ink clear everything, the scrollback too. */
function useSize(): Size {
  const { stdout } = useStdout();
  const measure = () => ({ columns: Math.max(1, stdout.columns || 80), rows: Math.max(1, (stdout.rows || 24) - 1) });
  const [size, setSize] = useState(measure);
  useEffect(() => {
    const onResize = () => setSize(measure());
    stdout.on('resize', onResize);
    return () => {
      stdout.off('resize', onResize);
    };
  });
  return size;
}
