// The operations of the OpenAPI document, as much of the format as it uses.

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | false;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly 'x-portico-access': string;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header' }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiResponse {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** `{name}` is a parameter. */
  readonly path: string;
  readonly queries: readonly string[];
  readonly headers: readonly string[];
  readonly body?: JsonSchema;
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** Whether it changes what is configured, or files of AI clients. */
  readonly configures: boolean;
}

export function operationsOf(document: OpenApi): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const named = (place: string) => operation.parameters.flatMap((it) => (it.in === place ? it.name : []));
      const body = operation.requestBody?.content['application/json']?.schema;
      const method = name.toUpperCase();
      return {
        id: operation.operationId,
        method,
        path,
        queries: named('query'),
        headers: named('header'),
        ...(body === undefined ? {} : { body }),
        responses: operation.responses,
        configures: method !== 'GET' && /^\/v1\/(config|clients)\//.test(path),
      };
    }),
  );
}
