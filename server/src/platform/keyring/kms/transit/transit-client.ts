import { membersOf } from '../../../../core/objects/members-of.ts';
import { OperatorService, type ServiceCall, type ServiceResponse } from '../../../outbound/operator-service.ts';
import { KeyServiceError, textOf, withinCallTime } from '../key-service.ts';
import { TransitRefusal } from './transit-refusal.ts';
import { type TransitAsk, type TransitSignIn, TransitToken } from './transit-token.ts';

/** A key in a Transit engine of Vault or OpenBao, and how to reach it. */
export interface TransitOptions {
  readonly url: string;
  readonly mount: string;
  readonly key: string;
  readonly signIn: TransitSignIn;
  readonly namespace?: string | undefined;
  /** The certificate authority as PEM, for a server whose certificate is not from a public authority. */
  readonly authority?: string | undefined;
}

/** Calls a Transit engine for one key. */
export class TransitClient {
  readonly #service: OperatorService;
  readonly #options: TransitOptions;
  readonly #token: TransitToken;

  constructor(options: TransitOptions) {
    this.#service = new OperatorService(options.url, options);
    this.#options = options;
    this.#token = new TransitToken(options.signIn, (request) => this.#ask(request));
  }

  /** Calls Transit and returns a text field of the response. If the token was revoked, it signs in again. */
  call(operation: 'encrypt' | 'decrypt' | 'hmac', input: object, field: string): Promise<string> {
    return withinCallTime('Transit', () => this.#call(operation, input, field));
  }

  async #call(operation: string, input: object, field: string): Promise<string> {
    const { mount, key } = this.#options;
    const request = { operation, path: `/v1/${mount}/${operation}/${key}`, body: input };
    const token = await this.#token.current();
    const fields = await this.#ask({ ...request, token }).catch(async (error: unknown) => {
      const isRefused = error instanceof TransitRefusal && error.status === 403 && token !== undefined;
      if (!isRefused || !(await this.#token.replace(token))) throw error;
      return this.#ask({ ...request, token: await this.#token.current() }).catch((again: unknown) => {
        if (again instanceof TransitRefusal && again.status === 403) this.#token.noteFutile();
        throw again;
      });
    });
    const value = textOf(membersOf(fields['data'])[field]);
    if (value !== undefined) return value;
    throw new KeyServiceError(
      `The Transit response to ${operation} lacks "${field}". Check any proxy between it and this server.`,
    );
  }

  close(): void {
    this.#token.close();
    this.#service.close();
  }

  async #ask({ operation, method = 'POST', path, body, token }: Parameters<TransitAsk>[0]): ReturnType<TransitAsk> {
    const { namespace } = this.#options;
    const response = await this.#send(path, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        ...(token === undefined ? {} : { 'x-vault-token': token.reveal() }),
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const fields = fieldsOf(response.body);
    if (response.status === 200) return fields;
    throw new TransitRefusal(operation, response.status, reasonsIn(fields['errors']));
  }

  /** Sends a request. Errors contain nothing from the request. */
  async #send(path: string, call: ServiceCall): Promise<ServiceResponse> {
    try {
      return await this.#service.ask(path, call);
    } catch (error) {
      throw new KeyServiceError(
        'Transit cannot be reached. Check its address, its certificate and the network.',
        error,
      );
    }
  }
}

/** Returns the fields of a JSON object. Returns no fields for any other text, such as an error page from a proxy. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function reasonsIn(errors: unknown): readonly string[] {
  return Array.isArray(errors) ? errors.filter((reason) => typeof reason === 'string') : [];
}
