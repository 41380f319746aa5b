// The HTTP API route by route, as a page: made from the OpenAPI document, which is made from what checks requests.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

const intro = `# HTTP API reference

Every route, made from the [OpenAPI document](openapi.json), which has the schemas in full. The [HTTP API](http-api.md) describes
ids, envelopes, keys and caching.

**Who**: *open* is every caller; *role* is every caller with a [role](access.md), and every user of this machine if there are no roles;
*admin* is a role with administration rights. Statuses other than 200, 202 and 304 carry an error envelope.
`;

export function httpReference({ paths }: JsonObject): string {
  const routes = entries(paths).flatMap(([path, methods]) =>
    entries(methods).map(([method, operation]) => toSection(path, method, isJsonObject(operation) ? operation : {})),
  );
  return [intro, ...routes].join('\n');
}

function toSection(path: string, method: string, operation: JsonObject): string {
  const { summary, parameters, requestBody, responses } = operation;
  const given = Array.isArray(parameters) ? parameters.filter(isJsonObject) : [];
  const statuses = entries(responses).map(([status]) => status);
  const facts = [
    `Access: ${operation['x-portico-access']}`,
    ...['path', 'query', 'header'].flatMap((place) => listed(place, given)),
    ...bodyOf('Body', requestBody),
    ...bodyOf('Answer', isJsonObject(responses) ? responses[200] : undefined),
    `Statuses: ${statuses.join(', ')}`,
  ];
  return `## ${method.toUpperCase()} ${path}\n\n${summary}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n`;
}

function listed(place: string, parameters: readonly JsonObject[]): readonly string[] {
  const names = parameters.filter((parameter) => parameter.in === place).map(({ name }) => `\`${name}\``);
  return names.length === 0 ? [] : [`${place[0]?.toUpperCase()}${place.slice(1)}: ${names.join(', ')}`];
}

/** The fields of a JSON body with their types, `?` where they may be left out; or the media types. */
function bodyOf(title: string, message: JsonValue | undefined): readonly string[] {
  const content = isJsonObject(message) && isJsonObject(message.content) ? message.content : {};
  const json = content['application/json'];
  if (!isJsonObject(json)) return Object.keys(content).map((type) => `${title}: \`${type}\``);
  const schemas = isJsonObject(json.schema) ? alternatives(json.schema) : [];
  const forms = [...new Set(schemas.map(fieldsOf))].filter((text) => text !== '');
  return forms.length === 0 ? [`${title}: a JSON object`] : [`${title}: ${forms.join(' or ')}`];
}

function fieldsOf({ properties, required }: JsonObject): string {
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return entries(properties)
    .map(([name, schema]) => `\`${name}${isRequired(name) ? '' : '?'}\` ${isJsonObject(schema) ? typeOf(schema) : ''}`)
    .join(', ');
}

function typeOf(schema: JsonObject): string {
  const types = alternatives(schema).map(({ type, enum: values, const: only }) => {
    if (only !== undefined) return `\`${JSON.stringify(only)}\``;
    if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join('/');
    return typeof type === 'string' ? type : 'any';
  });
  return [...new Set(types)].join('/');
}

function alternatives(schema: JsonObject): readonly JsonObject[] {
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.filter(isJsonObject).flatMap(alternatives) : [schema];
}

function entries(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]]));
}
