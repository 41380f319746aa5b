// Edits of the text of a configuration file: comments, order, layout and everything that is not edited stay.
import type { ConfigEdit } from '@portico/control-plane';
import { applyEdits, type FormattingOptions, findNodeAtLocation, getNodeValue, modify, parseTree } from 'jsonc-parser';

export function editText(content: string, edits: readonly ConfigEdit[]): string {
  const mark = content.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = content.slice(mark.length);
  const formattingOptions = layoutOf(text);
  const edited = edits.reduce((so, edit) => {
    const { path, value } = reachable(so, edit);
    return applyEdits(so, modify(so, [...path], value, { formattingOptions }));
  }, text);
  return `${mark}${edited}`;
}

/** Where something on the way is no object, such as null, it is replaced with what is to be there. */
function reachable(text: string, { path, value }: ConfigEdit): ConfigEdit {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  for (let depth = 1; depth < path.length; depth++) {
    const node = tree && findNodeAtLocation(tree, [...path.slice(0, depth)]);
    if (node === undefined || node.type === 'object') continue;
    const rest = path.slice(depth);
    const nested = value === undefined ? getNodeValue(node) : wrapped(rest, value);
    return { path: path.slice(0, depth), value: nested };
  }
  return { path, value };
}

function wrapped(path: readonly string[], value: ConfigEdit['value']): ConfigEdit['value'] {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

/** As the text has it: its first indented line, and its first line ending. */
function layoutOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length, eol };
}
