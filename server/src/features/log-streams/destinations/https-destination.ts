import { readFile } from 'node:fs/promises';
import { membersOf } from '../../../core/objects/members-of.ts';
import type { HttpsStreamConfig } from '../../../platform/config/log-stream-config.ts';
import { OperatorService, type ServiceResponse } from '../../../platform/outbound/operator-service.ts';
import type { EncodedLine } from '../format/encoded-line.ts';
import { contentTypeOf, toRequestBodies } from '../format/request-body.ts';
import { NotAccepted, type StreamDestination } from './stream-destination.ts';

const timeoutMs = 15_000;
/** The status of a document that exists already, because it was sent before. */
const conflict = 409;

/**
 * Posts lines to an address of the operator. Of the guards for calls of tenants, the checks of names and addresses do
 * not apply: receivers are usually on a private network, and nothing that a caller sends can change the address. The
 * certificate is always verified, redirects are not followed, and time and the size of a response are limited.
 */
export class HttpsDestination implements StreamDestination {
  readonly #config: HttpsStreamConfig;
  #service: OperatorService | undefined;

  constructor(config: HttpsStreamConfig) {
    this.#config = config;
  }

  async send(lines: readonly EncodedLine[]): Promise<void> {
    const { url, encoding, headers, authorityFile } = this.#config;
    this.#service ??= new OperatorService(url, {
      timeoutMs,
      authority: authorityFile === undefined ? undefined : await readFile(authorityFile, 'utf8'),
    });
    const path = encoding === 'elastic-bulk' ? `${url.includes('?') ? '&' : '?'}filter_path=errors,items.*.status` : '';
    for (const body of toRequestBodies(lines, encoding)) {
      const sent = { 'content-type': contentTypeOf(encoding), ...headers.reveal() };
      const response = await this.#service.ask(path, { method: 'POST', headers: sent, body });
      if (response.status < 200 || response.status > 299) {
        throw new NotAccepted(`The receiver responded with status ${response.status}.`);
      }
      if (encoding === 'elastic-bulk') requireEveryDocument(response);
    }
  }

  /** The next request opens new connections, with the certificates that are there then. */
  close(): void {
    this.#service?.close();
    this.#service = undefined;
  }
}

/** Elasticsearch responds with 200 to a request of which it refused a part. */
function requireEveryDocument({ body }: ServiceResponse): void {
  const { errors, items } = membersOf(parseJson(body));
  if (errors === false) return;
  const statuses = (Array.isArray(items) ? items : [undefined]).map(
    (item) => membersOf(membersOf(item)['create'])['status'],
  );
  const refused = statuses.find((status) => !(typeof status === 'number' && (status < 300 || status === conflict)));
  if (refused !== undefined || statuses.includes(undefined)) {
    throw new NotAccepted(`The receiver refused a document with status ${Number(refused)}.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
