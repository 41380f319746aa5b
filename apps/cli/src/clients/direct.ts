// Servers that an AI client reaches past Portico, as `clients list` and `doctor` say it.
import type { AiClient, DirectServer } from '@portico/contracts';

type Seen = Pick<AiClient, 'id' | 'name'> & { readonly direct_servers?: readonly DirectServer[] | undefined };

/** The next step for the user; undefined if there is nothing to move. */
export function nextStep({ id, direct_servers = [] }: Seen): string | undefined {
  const names = direct_servers.filter(({ problem }) => problem === null).map(({ name }) => toWord(name));
  return names.length === 0 ? undefined : `portico clients move ${[id, ...names].join(' ')}`;
}

export function sayDirect({ name, direct_servers = [] }: Seen): string {
  const names = direct_servers.map((server) => {
    const behind =
      server.behind_as === null || server.behind_as === server.name ? '' : `, in Portico "${server.behind_as}"`;
    const problem = server.problem === null ? behind : `, cannot be moved: ${server.problem}`;
    return problem === '' ? server.name : `${server.name} (${problem.slice(2)})`;
  });
  return `${name} still reaches ${names.join(', ')} directly`;
}

/** As a shell takes it. */
function toWord(name: string): string {
  return /^[\w./@:+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
