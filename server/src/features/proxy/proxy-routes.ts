import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError } from '../../core/errors/domain-error.ts';
import { queryOf, routeOf, splitQuery } from '../../http/callers/proxy-key.ts';
import { isFromFields } from '../../http/origins/elements-origin.ts';
import { sendRawResponse } from '../../http/bodies/raw-reply.ts';
import { destinationStatusHeader, toResponseHeaders } from './response-headers.ts';
import { proxyExamples } from './proxy-examples.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';
import { proxyProblemForm } from './proxy-schemas.ts';
import type { ProxyService } from './proxy-service.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;
const endpoint = '/proxy';

const description = `Forwards the request to BT-PROXY-URL, appending the path after \`/proxy\` and the query. References such
as \`{{ <token id> }}\` in the body, header values, path and query are replaced by plaintext. The response is that of the
destination, with its status and a BT-PROXY-DESTINATION-STATUS header; a response without that header is an error from the proxy.`;

const Headers = Type.Object({
  'bt-proxy-url': Type.Optional(
    Type.String({ description: 'The destination: an https URL. Required without BT-PROXY-KEY.' }),
  ),
  'bt-proxy-key': Type.Optional(
    Type.String({
      description:
        'The key of a stored proxy, which is called instead. The query parameter `bt-proxy-key` means the same.',
    }),
  ),
  'bt-encrypted': Type.Optional(
    Type.String({
      description:
        'Data that a client has encrypted for this call: base64 of `{"type", "encrypted"}`, or of several of these with names. `{{ encrypted | json: \'$.data.number\' }}` refers to it.',
    }),
  ),
  'bt-proxy-connection': Type.Optional(Type.String({ description: 'Sent as Connection: close or keep-alive.' })),
  'bt-proxy-keep-alive': Type.Optional(Type.String({ description: 'Sent as Keep-Alive: timeout=5, max=100.' })),
});

const destinationHeaders = { 'BT-PROXY-DESTINATION-STATUS': 'The status of the response of the destination.' };
const Destination = Type.Unknown({ description: 'The response from the destination, with its status.' });

/**
 * Adds the proxy routes. HEAD and OPTIONS are not forwarded, because the API has no HEAD, and OPTIONS is a request to
 * the vault itself.
 */
export function addProxyRoutes(app: FastifyInstance, proxy: ProxyService): void {
  const config = {
    permission: 'token:use',
    takesProxyKey: true,
    isBodyRaw: true,
    moreTimeFor: 'proxy-call',
    isRepeatable: false,
    problems: [
      'validation-failed',
      'unsupported-media-type',
      'not-found',
      'destination-refused',
      'destination-timeout',
      'destination-failed',
      'too-many-calls',
    ],
    describedHeaders: Headers,
    responseHeaders: { 200: destinationHeaders, default: destinationHeaders },
    ...proxyProblemForm,
  } as const;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await proxy.forward(request.keyCaller, toProxyRequest(request, reply));
    const headers = [
      ...toResponseHeaders(answer.headers),
      { name: destinationStatusHeader, value: String(answer.status) },
    ];
    return sendRawResponse(reply, { ...answer, headers });
  };
  for (const method of methods) {
    const operationId = `proxy${method[0]}${method.slice(1).toLowerCase()}`;
    const shared = { tags: ['Proxy'] as const, description, response: { 200: Destination, default: Destination } };
    const toSchema = (id: string, where: string) => ({
      ...shared,
      operationId: id,
      summary: `Forward a ${method} request ${where}`,
    });
    const options = { method, exposeHeadRoute: false, handler };
    app.route({
      ...options,
      url: endpoint,
      config: { ...config, examples: proxyExamples(method) },
      schema: toSchema(operationId, 'to a URL'),
    });
    app.route({
      ...options,
      url: `${endpoint}/*`,
      config: { ...config, examples: proxyExamples(method, 'refunds') },
      schema: toSchema(`${operationId}Path`, 'to a path below a URL'),
    });
  }
}

/** Reads the raw request, because the framework's parsing of path and headers loses their spelling. */
function toProxyRequest(request: FastifyRequest, reply: FastifyReply): ProxyRequest {
  const { rawHeaders, url = '' } = request.raw;
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [{ name, value: rawHeaders[index + 1] ?? '' }] : [],
  );
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  // A percent-encoded endpoint name does not refer to this endpoint.
  if (path !== endpoint && !path.startsWith(`${endpoint}/`)) {
    throw new DomainError('not-found', 'This path is not part of the API.');
  }
  return {
    method: request.method,
    destinationUrl: headerOf(headers, 'bt-proxy-url'),
    connection: headerOf(headers, 'bt-proxy-connection'),
    keepAlive: headerOf(headers, 'bt-proxy-keep-alive'),
    path: path.slice(endpoint.length),
    query: splitQuery(queryOf(url)).rest,
    storedProxy: routeOf(request),
    headers,
    body: bodyOf(request),
    isFromFields: isFromFields(request),
    signal: signalOf(reply),
  };
}

function bodyOf(request: FastifyRequest): Buffer | undefined {
  if (Buffer.isBuffer(request.body)) return request.body;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (request.method === 'GET' && (length !== '0' || encoding !== undefined)) {
    throw new DomainError('validation-failed', 'A GET request to the proxy must not have a body.');
  }
  return undefined;
}

/** Returns a signal that is aborted when the client disconnects before it has its response. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
