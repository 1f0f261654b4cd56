import { readFile } from 'node:fs/promises';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { OperatorService } from '../../outbound/operator-service.ts';
import type { AwsCredentials } from './aws-signature.ts';
import { askKeyService, fieldsOf, KeyServiceError, textOf } from './key-service.ts';

/** The source of credentials: a secret from the operator, or the role of the container. */
export type AwsCredentialsConfig =
  | ({ readonly kind: 'static' } & AwsCredentials)
  | { readonly kind: 'container'; readonly url: string; readonly tokenFile?: string | undefined };

/** Returns credentials that are currently valid. */
export interface AwsCredentialSource {
  current(): Promise<AwsCredentials>;
  close(): void;
}

/** The time before expiry at which credentials are renewed. AWS provides new ones about five minutes before expiry. */
const renewAheadMs = 4 * 60_000;

export function toCredentialSource(config: AwsCredentialsConfig, now: () => number = Date.now): AwsCredentialSource {
  if (config.kind === 'container') return new ContainerCredentials(config, now);
  return { current: () => Promise.resolve(config), close: () => undefined };
}

/** Reads credentials from the container credentials endpoint of ECS and EKS. They expire after some hours. */
class ContainerCredentials implements AwsCredentialSource {
  readonly #service: OperatorService;
  readonly #path: string;
  readonly #tokenFile: string | undefined;
  readonly #now: () => number;
  #fetched: { readonly credentials: AwsCredentials; readonly endsAt: number } | undefined;
  #fetching: Promise<AwsCredentials> | undefined;

  constructor(config: { readonly url: string; readonly tokenFile?: string | undefined }, now: () => number) {
    const { origin, pathname, search } = new URL(config.url);
    this.#service = new OperatorService(origin);
    this.#path = `${pathname}${search}`;
    this.#tokenFile = config.tokenFile;
    this.#now = now;
  }

  async current(): Promise<AwsCredentials> {
    const remainingMs = (this.#fetched?.endsAt ?? 0) - this.#now();
    if (this.#fetched !== undefined && remainingMs > renewAheadMs) return this.#fetched.credentials;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      return await this.#fetching;
    } catch (error) {
      if (this.#fetched !== undefined && remainingMs > 0) return this.#fetched.credentials;
      throw error;
    }
  }

  close(): void {
    this.#service.close();
  }

  async #fetch(): Promise<AwsCredentials> {
    const answer = await askKeyService(this.#service, {
      name: 'The container credentials endpoint',
      path: this.#path,
      method: 'GET',
      headers: await this.#authorization(),
    });
    const fields = fieldsOf(answer.body);
    const [accessKeyId, secret, token] = [fields['AccessKeyId'], fields['SecretAccessKey'], fields['Token']].map(
      textOf,
    );
    const endsAt = Date.parse(textOf(fields['Expiration']) ?? '');
    if (answer.status !== 200 || accessKeyId === undefined || secret === undefined || Number.isNaN(endsAt)) {
      throw new KeyServiceError(
        `The container credentials endpoint responded with status ${answer.status} and no credentials. Give the container a role that may use the key.`,
      );
    }
    const credentials = {
      accessKeyId,
      secretAccessKey: new Sensitive(secret),
      sessionToken: token === undefined ? undefined : new Sensitive(token),
    };
    this.#fetched = { credentials, endsAt };
    return credentials;
  }

  /** Reads the token file every time, because its content is replaced while this process runs. */
  async #authorization(): Promise<Record<string, string>> {
    if (this.#tokenFile === undefined) return {};
    try {
      return { authorization: (await readFile(this.#tokenFile, 'utf8')).trim() };
    } catch (error) {
      throw new KeyServiceError(`The container token file ${this.#tokenFile} cannot be read.`, error);
    }
  }
}
