// Splits one shell command into its words: single and double quotes, and a backslash before a character or line end.
// It is for the examples of the documentation and knows nothing of variables, pipes or globs.

/** @throws Error for what it does not know */
export function shellWords(command: string): readonly string[] {
  const words: string[] = [];
  const pattern = /\\\n|\s+|((?:'[^']*'|"[^"$`\\]*"|\\[^\n]|[^\s'"\\$`|&;<>*?()])+)/gy;
  for (let match = pattern.exec(command); match !== null; match = pattern.exec(command)) {
    const [, word] = match;
    if (word !== undefined) words.push(word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, a, b, c) => a ?? b ?? c));
    if (pattern.lastIndex === command.length) return words;
  }
  throw new Error(`cannot read as a simple command: ${command}`);
}

export interface CurlRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request that `curl [-s] [-i] [-X METHOD] [-H HEADER] [-d DATA] URL` makes. @throws Error for any other flag */
export function parseCurl(command: string): CurlRequest {
  const [program, ...words] = shellWords(command);
  if (program !== 'curl') throw new Error(`not a curl command: ${command}`);
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let body: string | undefined;
  let url: string | undefined;
  while (words.length > 0) {
    const word = words.shift() ?? '';
    const value = () => words.shift() ?? '';
    if (word === '-H') {
      const [, name = '', content = ''] = /^([^:]+):\s*(.*)$/.exec(value()) ?? [];
      headers[name.toLowerCase()] = content;
    } else if (word === '-X') method = value();
    else if (word === '-d') body = value();
    else if (!word.startsWith('-')) url = word;
    else if (word !== '-s' && word !== '-i') throw new Error(`unknown flag ${word}: ${command}`);
  }
  const sent = body === undefined ? {} : { body };
  return { url: new URL(url ?? ''), method: method ?? (body === undefined ? 'GET' : 'POST'), headers, ...sent };
}
