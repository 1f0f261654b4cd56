import { membersOf } from '../../../core/objects/members-of.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { OperatorService } from '../../outbound/operator-service.ts';
import { askKeyService, fieldsOf, KeyServiceError, textOf } from './key-service.ts';

/** A key in a Transit engine of Vault or OpenBao, and how to reach it. */
export interface TransitOptions {
  readonly url: string;
  readonly mount: string;
  readonly key: string;
  /** The token. It is not needed if an agent on this machine adds one. */
  readonly token?: Sensitive<string> | undefined;
  readonly namespace?: string | undefined;
  /** The certificate authority as PEM, for a server whose certificate is not from a public authority. */
  readonly authority?: string | undefined;
}

export class TransitRefusal extends KeyServiceError {
  readonly status: number;
  readonly reasons: readonly string[];

  constructor(operation: string, status: number, reasons: readonly string[]) {
    super(`Transit refused ${operation} (status ${status}). ${adviceFor(status, reasons)}`);
    this.status = status;
    this.reasons = reasons;
  }
}

/** Calls a Transit engine for one key. */
export class TransitClient {
  readonly #service: OperatorService;
  readonly #options: TransitOptions;

  constructor(options: TransitOptions) {
    this.#service = new OperatorService(options.url, options);
    this.#options = options;
  }

  /** Calls Transit and returns a text field of the response. */
  async call(operation: 'encrypt' | 'decrypt' | 'hmac', input: object, field: string): Promise<string> {
    const { mount, key, token, namespace } = this.#options;
    const answer = await askKeyService(this.#service, {
      name: 'Transit',
      path: `/v1/${mount}/${operation}/${key}`,
      headers: {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        ...(token === undefined ? {} : { 'x-vault-token': token.reveal() }),
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      },
      body: JSON.stringify(input),
    });
    const fields = fieldsOf(answer.body);
    if (answer.status !== 200) throw new TransitRefusal(operation, answer.status, reasonsIn(fields['errors']));
    const value = textOf(membersOf(fields['data'])[field]);
    if (value !== undefined) return value;
    throw new KeyServiceError(
      `The Transit response to ${operation} lacks "${field}". Check any proxy between it and this server.`,
    );
  }

  close(): void {
    this.#service.close();
  }
}

function reasonsIn(errors: unknown): readonly string[] {
  return Array.isArray(errors) ? errors.filter((reason) => typeof reason === 'string') : [];
}

const retiredVersion =
  'Set min_decryption_version and min_encryption_version of the key back to 1; if versions were trimmed, restore the key from a backup.';

/** Advice by error text, for errors that say more than the status. */
const adviceByReason: readonly (readonly [string, string])[] = [
  ['encryption key not found', 'Create the key, or correct its name.'],
  ['soft-deleted', 'Restore the key.'],
  ['too old', retiredVersion],
  ['no such key version', retiredVersion],
];

function adviceFor(status: number, reasons: readonly string[]): string {
  for (const [text, advice] of adviceByReason) {
    if (reasons.some((reason) => reason.includes(text))) return advice;
  }
  switch (status) {
    case 400:
      return 'Use a key of type aes256-gcm96 that is not derived.';
    case 403:
      return 'Renew or correct the token, and give its policy the update capability on encrypt, decrypt and hmac for the key.';
    case 404:
      return 'Correct the mount or the namespace.';
    case 429:
      return 'This is temporary; if it recurs, raise the rate limit quota.';
    case 503:
      return 'Unseal the server, or wait until its maintenance is over.';
    default:
      return 'Check the health of the server.';
  }
}
