// `portico token`: the static tokens of `rbac.tokens`. The file gets digests only; a token is printed once, when it is made.
import { createHash, randomBytes } from 'node:crypto';
import type { ListedToken } from '@portico/host';
import type { Command } from 'commander';
import { addConnectionFlags, addGroup, addOfflineCommand, type CommonOptions, type Shell } from '../command.js';
import { UsageFailure } from '../failures.js';
import type { Output } from '../output/output.js';
import { putInForce, tokenFileOf } from './token-file.js';
import { describeItem, withNewDigest, withoutToken, withToken } from './token-items.js';

export function addToken(program: Command, shell: Shell): void {
  const group = addGroup(program, 'token', 'Tokens of people and programs, by role');
  addCreate(group, shell);
  addList(group, shell);
  addRotate(group, shell);
  addRevoke(group, shell);
}

interface CreateOptions extends CommonOptions {
  readonly role: string;
}

function addCreate(group: Command, shell: Shell): void {
  addOfflineCommand<[string], CreateOptions>(group, shell, {
    usage: 'create <name>',
    summary: 'Make a token for a role and print it once; the file keeps its SHA-256 digest',
    examples: ['token create ann --role ops', 'token create ci --role reader --json'],
    flags: (command) => addConnectionFlags(command).requiredOption('--role <role>', 'a role of rbac.roles'),
    async run(output, [name], options) {
      const { file, roles, change } = await tokenFileOf(options);
      const { role } = options;
      if (!roles.includes(role)) {
        const known = roles.length === 0 ? 'it has none' : `it has ${roles.join(', ')}`;
        throw new UsageFailure(`there is no role "${role}" in rbac.roles of ${file} (${known}); add it there first`);
      }
      const made = makeToken();
      await change((items) => withToken(items, name, role, made.sha256));
      return show(output, options, { name, role, ...made });
    },
  });
}

function addList(group: Command, shell: Shell): void {
  addOfflineCommand<[]>(group, shell, {
    usage: 'list',
    summary: 'List tokens by name and role, without the tokens themselves',
    examples: ['token list', 'token list --json'],
    flags: addConnectionFlags,
    async run(output, _args, options) {
      const { tokens } = await tokenFileOf(options);
      const columns = [
        { heading: 'NAME', cell: ({ name }: ListedToken) => name ?? '' },
        { heading: 'ROLE', cell: ({ role }: ListedToken) => role },
        { heading: 'KEPT AS', cell: ({ kind }: ListedToken) => kind },
        { heading: 'DIGEST', cell: ({ sha256 }: ListedToken) => sha256?.slice(0, 12) ?? '' },
      ];
      output.answer({ ok: true, tokens }, () => output.table(columns, tokens, 'no tokens'));
      return undefined;
    },
  });
}

function addRotate(group: Command, shell: Shell): void {
  addOfflineCommand<[string]>(group, shell, {
    usage: 'rotate <name>',
    summary: 'Replace a token by a new one and print that once; the old one is refused from then on',
    examples: ['token rotate ann'],
    flags: addConnectionFlags,
    async run(output, [name], options) {
      const { change } = await tokenFileOf(options);
      const made = makeToken();
      const items = await change((before) => withNewDigest(before, name, made.sha256));
      return show(output, options, { ...describeItem(items, name), ...made });
    },
  });
}

function addRevoke(group: Command, shell: Shell): void {
  addOfflineCommand<[string]>(group, shell, {
    usage: 'revoke <name>',
    summary: 'Remove a token, by its name or the beginning of its digest; it is refused from then on',
    examples: ['token revoke ann', 'token revoke 3f7a90c2d41b'],
    flags: addConnectionFlags,
    async run(output, [name], options) {
      const { change } = await tokenFileOf(options);
      const items = await change((before) => withoutToken(before, name));
      await putInForce(output, options);
      output.answer({ ok: true, ...describeItem(items, name) }, () => output.line(`${name}: revoked`));
      return undefined;
    },
  });
}

interface MadeToken {
  readonly token: string;
  readonly sha256: string;
}

/** 256 random bits; the beginning lets scanners for secrets recognise one. */
function makeToken(): MadeToken {
  const token = `portico_${randomBytes(32).toString('base64url')}`;
  return { token, sha256: createHash('sha256').update(token).digest('hex') };
}

/**
 * The token alone is on stdout, so that a script can take it. It is printed first: the file has its digest already, and
 * nothing that fails later may lose it.
 */
async function show(
  output: Output,
  options: CommonOptions,
  { token, ...rest }: MadeToken & { readonly name: string | null; readonly role: string },
): Promise<undefined> {
  output.answer({ ok: true, ...rest, token }, () => output.line(token));
  output.note('this token is shown once: keep it where its user finds it, such as PORTICO_TOKEN');
  await putInForce(output, options);
  return undefined;
}
