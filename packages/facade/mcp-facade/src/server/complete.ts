// `completion/complete` of an argument of a prompt or a resource template.
import { errorEnvelope, type JsonObject, nothingSent, PorticoError } from '@portico/contracts';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, type Incoming } from '../calls/incoming.js';
import { promptId } from './get-prompt.js';
import { objectParam, textParam } from './params.js';
import { resourceId } from './read-resource.js';

export async function complete(incoming: Incoming): Promise<JsonObject> {
  const { deps, connection, context, params } = incoming;
  const argument = objectParam(params, 'argument');
  const request = {
    ...reference(incoming),
    argument_name: textParam(argument, 'name'),
    argument_value: textParam(argument, 'value'),
  };
  const correlation = correlationOf(incoming);
  const { caller } = connection;
  try {
    const data = await deps.plane.complete({ request, correlation, caller, signal: context.mcpReq.signal });
    const { values, total, has_more } = data;
    const more = {
      ...(total === undefined ? {} : { total }),
      ...(has_more === undefined ? {} : { hasMore: has_more }),
    };
    return { completion: { values: values.slice(0, maxValues), ...more } };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    throw requestFailure(
      incoming.connection.era,
      errorEnvelope(correlation, nothingSent, { code: error.code, message: error.message }),
    );
  }
}

/** MCP, server/utilities/completion. */
const maxValues = 100;

function reference(incoming: Incoming): { readonly ref_type: 'prompt' | 'resource'; readonly ref_name: string } {
  const ref = objectParam(incoming.params, 'ref');
  switch (ref.type) {
    case 'ref/prompt':
      return { ref_type: 'prompt', ref_name: promptId(incoming, textParam(ref, 'name')) };
    case 'ref/resource':
      return { ref_type: 'resource', ref_name: resourceId(incoming, textParam(ref, 'uri')) };
    default:
      throw invalidParams('params.ref.type: expected "ref/prompt" or "ref/resource"');
  }
}
