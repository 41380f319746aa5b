// The recording in the documentation equals the output of the commands: it is played again, and compared. With
// PORTICO_RECORD=1 (`npm run docs:cast`) the file is written.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCast, type Scene, unpainted, writeCast } from '../../checks/src/cast.js';
import { tempFolder } from './support/cleanup.js';
import { repository } from './support/repository.js';
import { playTour, readTour, tourSize } from './support/tour.js';

const title = 'Portico: from the servers of an AI client to a call that a person approves';

/** Spaces are those of columns, whose widths follow ids and times. */
const textOf = (scenes: readonly Scene[]) =>
  scenes.map(({ frames, ...scene }) => ({
    ...scene,
    frames: frames.map(({ lines }) => lines.map((line) => unpainted(line).replace(/\s+/g, ' ').trim()).join('\n')),
  }));

it('the recording shows what the commands print', { timeout: 120_000 }, async () => {
  const scenes = await playTour(tempFolder());
  if (process.env.PORTICO_RECORD === '1') {
    mkdirSync(join(repository, 'docs/casts'), { recursive: true });
    writeFileSync(join(repository, 'docs/casts/tour.cast'), writeCast(scenes, tourSize, title));
  }
  expect(textOf(readCast(readTour())), 'docs/casts/tour.cast is old: npm run docs:cast').toEqual(textOf(scenes));
});

it('the recording is an asciicast of about two minutes, and holds nothing of the machine it was made on', () => {
  const [header, ...events] = readTour()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(header).toMatchObject({ version: 2, ...tourSize });
  const times = events.map(([seconds]) => seconds);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(60);
  expect(times.at(-1)).toBeLessThan(150);
  expect(new Set(events.map(([, kind]) => kind))).toEqual(new Set(['o', 'm']));
  expect(readTour()).not.toMatch(/\/(home|tmp|root|Users|work)\//);
});
