// Contents as servers send them: text, pictures, links to resources. Everything else is shown as the JSON it is.
import { exactJsonLines, isJsonObject, type JsonValue, parseExact } from '@portico/contracts';
import { CodeView, JsonView } from '../components/code-view.js';
import { VisibleText } from '../components/visible-text.js';

/** Formats that hold nothing but a picture. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function ContentView({ content, label }: { readonly content: JsonValue; readonly label: string }) {
  if (!isJsonObject(content)) return <JsonView label={label} value={content} />;
  const { type, text, data, mimeType, resource, uri, name } = content;
  if (typeof text === 'string' && (type === 'text' || type === undefined)) {
    const title = typeof uri === 'string' ? uri : label;
    return <CodeView label={title} text={prettyText(text)} />;
  }
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string' && pictures.includes(mimeType))
    return (
      <figure className="picture">
        <img src={`data:${mimeType};base64,${data}`} alt={`${label}, as the server sent it`} />
      </figure>
    );
  if (type === 'resource' && resource !== undefined) return <ContentView content={resource} label={label} />;
  if (type === 'resource_link' && typeof uri === 'string')
    return (
      <p>
        Link to a resource: <VisibleText text={typeof name === 'string' ? `${name} (${uri})` : uri} />
      </p>
    );
  return <JsonView label={label} value={content} />;
}

/** JSON in a text is set out in lines. */
export function prettyText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return exactJsonLines(parseExact(text));
  } catch {
    return text;
  }
}
