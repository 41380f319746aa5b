// The installed model: what is alike, what is not English, what costs nothing, and a file that is not whole.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadModel, ModelError } from './index.js';

const bytes = readFileSync(new URL('../model/en.bin', import.meta.url));
const model = loadModel(bytes);
const nearness = (one: string, other: string) => {
  const vector = model.embed(other);
  return model.embed(one).reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
};
const lengthOf = (text: string) => Math.hypot(...model.embed(text));

describe('the model', () => {
  it('is small', () => {
    expect(bytes.length).toBeLessThan(5_000_000);
  });

  it.each([
    ['get rid of a record', 'Deletes a row', 'Sends a letter'],
    ['what is the weather tomorrow', 'Returns the forecast of a city', 'Creates a new table'],
    ['show me the folder', 'List the contents of a directory', 'Converts a currency'],
  ])('finds %j nearer to %j than to %j', (query, right, wrong) => {
    expect(nearness(query, right)).toBeGreaterThan(nearness(query, wrong) + 0.1);
  });

  it('gives vectors of length 1, and none for what it does not know', () => {
    expect(lengthOf('read a file')).toBeCloseTo(1);
    expect(model.embed('read a file')).toHaveLength(model.dimensions);
    expect(['', ' \n', '\u0000\u0007', '\ud800', '🦊🦊', 'цветок'].map(lengthOf)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('takes case, accents and control characters for nothing', () => {
    expect(model.embed('Crème\u0000 BRÛLÉE')).toEqual(model.embed('creme brulee'));
  });

  it('has one vector for a text of ASCII and for the same text with a character that counts for nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(model.embed(text)).toEqual(model.embed(`\u200b${text}`));
      }),
    );
  });

  it('reads the beginning of a long text', () => {
    const long = 'delete a record '.repeat(2 ** 18); // 4 MiB
    expect(model.embed(long)).toEqual(model.embed(long.slice(0, 8192)));
    expect(lengthOf('x'.repeat(2 ** 22))).toBe(0);
  });
});

describe('a text that it understands', () => {
  it.each([
    'Delete a file',
    'sqlite table',
    'What time is it in Tokyo?',
    'What is the current roster of the Los Angeles Lakers?',
    'find me a recipe with chickpeas',
    'open src/qzx_vwk.jsonc and zzq.qqz.yml',
  ])('is %j', (text) => {
    expect(model.understands(text)).toBe(true);
  });

  it.each([
    'Lösche eine Datei aus dem Ordner',
    'Lösche den Datensatz aus der Tabelle',
    'Envoie un message à Paul',
    'Crea una tabla con message y file',
    'Supprime un fichier du dossier',
    'Borra un archivo de la carpeta',
    'Удали файл из папки',
    'フォルダからファイルを削除する',
    '',
    '1234 5678',
  ])('is not %j', (text) => {
    expect(model.understands(text)).toBe(false);
  });
});

it('knows common English words', () => {
  expect(['love', 'record', 'lvoe', 'löschen', '', 'x'.repeat(500)].map((word) => model.isWord(word))).toEqual([
    ...[true, true],
    ...[false, false, false, false],
  ]);
});

describe('a file that is not whole', () => {
  const changed = (at: number) => {
    const copy = Uint8Array.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  it.each<[string, Uint8Array, string]>([
    ['is empty', new Uint8Array(0), 'does not begin with a line'],
    ['is something else', new TextEncoder().encode('{"format":"other"}\n'), 'its format is "other"'],
    ['begins with no JSON', new TextEncoder().encode('model\n'), 'no JSON'],
    ['lacks its sizes', new TextEncoder().encode('{"format":"portico-static-embeddings-1"}\n'), 'lacks a size'],
    ['was cut off', bytes.subarray(0, 100_000), 'bytes of data where it says'],
    ['has a changed byte', changed(bytes.length - 1), 'checksum'],
  ])('%s', (_what, file, message) => {
    expect(() => loadModel(file)).toThrow(ModelError);
    expect(() => loadModel(file)).toThrow(message);
  });
});
