// The configuration file field by field, as a page: made from its JSON Schema, which is made from what checks it.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

interface Field {
  readonly path: string;
  readonly isRequired: boolean;
  readonly schemas: readonly JsonObject[];
  readonly description: string;
}

const intro = `# Configuration reference

Every field of the configuration file, made from the schema that checks it. [Configuration](configuration.md) says how the
parts work together; [config.schema.json](config.schema.json) is the same for editors.

\`<id>\` is a name of your choice, \`[]\` each entry of a list. Optional fields may be left out, and most of them may be
\`null\`.
`;

export function configReference(schema: JsonObject): string {
  const sections = fieldsOf(schema, '').map((field) => {
    const inner = innerFields(field);
    const rows = inner.length === 0 ? [field] : [field, ...inner];
    return `## ${field.path}\n\n| Field | Type | Default | Meaning |\n|---|---|---|---|\n${rows.map(toRow).join('\n')}\n`;
  });
  return [intro, ...sections].join('\n');
}

function toRow({ path, schemas, isRequired, description }: Field): string {
  const [, about = description, fallback = '', rest = ''] = /^(.*?) ?\(default (.+?)\)(.*)$/.exec(description) ?? [];
  const type = [...new Set(schemas.map(typeOf))].join(' or ');
  return `| \`${path}\` | ${cell(type)} | ${isRequired ? 'required' : cell(fallback)} | ${cell(about + rest)} |`;
}

/** Fields below a field, through maps, lists and alternatives. One that several alternatives have is listed once. */
function innerFields({ path, schemas }: Field): readonly Field[] {
  const found = schemas.flatMap((schema) => {
    const { additionalProperties, items } = schema;
    return [
      ...fieldsOf(schema, `${path}.`),
      ...(isJsonObject(additionalProperties) ? below(`${path}.<id>`, additionalProperties) : []),
      ...(isJsonObject(items) ? below(`${path}[]`, items) : []),
    ];
  });
  const byPath = new Map<string, Field>();
  for (const field of found) {
    const known = byPath.get(field.path);
    byPath.set(field.path, known === undefined ? field : merge(known, field));
  }
  return [...byPath.values()].flatMap((field) => [field, ...innerFields(field)]);
}

function below(path: string, schema: JsonObject): readonly Field[] {
  return alternatives(schema).flatMap((each) => fieldsOf(each, `${path}.`).concat(deeper(path, each)));
}

/** A map of maps, or a list of lists. */
function deeper(path: string, { additionalProperties }: JsonObject): readonly Field[] {
  return isJsonObject(additionalProperties) ? below(`${path}.<id>`, additionalProperties) : [];
}

function merge(a: Field, b: Field): Field {
  return { ...a, isRequired: a.isRequired && b.isRequired, schemas: [...a.schemas, ...b.schemas] };
}

function fieldsOf({ properties, required }: JsonObject, prefix: string): readonly Field[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (!isJsonObject(schema)) return [];
    const isRequired = Array.isArray(required) && required.includes(name);
    return [{ path: `${prefix}${name}`, isRequired, schemas: alternatives(schema), description: describe(schema) }];
  });
}

/** The alternatives of a value, without null. */
function alternatives(schema: JsonObject): readonly JsonObject[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices)) return [schema];
  return choices
    .filter(isJsonObject)
    .filter(({ type }) => type !== 'null')
    .flatMap(alternatives);
}

function describe(schema: JsonObject): string {
  const own = [schema, ...alternatives(schema)].map(({ description }) => description);
  return String(own.find((text) => typeof text === 'string') ?? '');
}

function typeOf(schema: JsonObject): string {
  const { type, enum: values, const: only, items, minimum, maximum } = schema;
  if (only !== undefined) return toCode(only);
  if (Array.isArray(values)) return values.map(toCode).join(', ');
  if (type === 'array')
    return `list of ${isJsonObject(items) ? alternatives(items).map(typeOf).join(' or ') : 'anything'}`;
  if (type === 'integer' || type === 'number') return `${type} ${minimum ?? ''}–${maximum ?? ''}`;
  if (type === 'string') return 'text';
  return typeof type === 'string' ? type : 'anything';
}

function toCode(value: JsonValue): string {
  return `\`${JSON.stringify(value)}\``;
}

/** Without anything that a table or HTML would take for its own. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replace(/<(?=\w)(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)/g, '&lt;')
    .trim();
}
