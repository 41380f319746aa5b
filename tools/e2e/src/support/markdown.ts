// Reads what can be checked out of a Markdown file: its fenced blocks and its relative links.

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

export function fencedBlocks(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: markdown.slice(0, index).split('\n').length,
  }));
}

/** Targets of links that lead to places of the repository, with their fragments. */
export function relativeLinks(markdown: string): readonly string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(({ 1: target = '' }) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The fragments that lead to headings, as GitHub makes them, and to named places. */
export function anchors(markdown: string): ReadonlySet<string> {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const found = new Set([...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let name = anchor;
    for (let again = 1; found.has(name); again++) name = `${anchor}-${again}`;
    found.add(name);
  }
  return found;
}

/** Targets of links to files of the repository at its public address, relative to its root, with their fragments. */
export function repositoryLinks(markdown: string, address: string): readonly string[] {
  const prefix = `${address.replace(/^git\+|\.git$/g, '')}/`;
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(({ 1: target = '' }) => target)
    .filter((target) => target.startsWith(prefix))
    .map((target) => target.slice(prefix.length).replace(/^(blob|tree)\/main\//, ''));
}
