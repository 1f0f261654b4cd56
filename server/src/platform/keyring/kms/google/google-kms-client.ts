import type { KeyManagementServiceClient, protos } from '@google-cloud/kms';
import type * as GoogleAuthKit from 'google-auth-library';
import type { Sensitive } from '../../../../core/identity/sensitive.ts';
import { membersOf } from '../../../../core/objects/members-of.ts';
import { choosingAgent, createKitAgent, type KitAgent } from '../../../outbound/kit-agent.ts';
import { serviceResponseSizeMax } from '../../../outbound/limited-body.ts';
import {
  attemptTimeoutMs,
  callTimeoutMs,
  connectionsMax,
  importOptional,
  KeyServiceError,
  textOf,
  withinCallTime,
} from '../key-service.ts';
import { toGoogleKmsError } from './google-kms-error.ts';

/** A key in Google Cloud KMS and how to reach it. */
export interface GoogleKmsOptions {
  /** The resource name, `projects/…/locations/…/keyRings/…/cryptoKeys/…`. */
  readonly key: string;
  /** A key of a service account or a configuration of workload identity, as JSON. Without it, the SDK finds one. */
  readonly credentials?: Sensitive<string> | undefined;
  /** How to connect, for tests. */
  readonly agent?: KitAgent | undefined;
}

type Encrypted = protos.google.cloud.kms.v1.IEncryptResponse;
type Decrypted = protos.google.cloud.kms.v1.IDecryptResponse;

const scope = 'https://www.googleapis.com/auth/cloudkms';

/** The statuses of gRPC after which another attempt may succeed: DEADLINE_EXCEEDED and UNAVAILABLE. */
const retried = [4, 14];

/**
 * The two calls of Google Cloud KMS that the vault uses, through the SDK of Google. It speaks REST, which needs no
 * HTTP/2.
 */
export class GoogleKmsClient {
  readonly #client: KeyManagementServiceClient;
  readonly #agent: KitAgent;

  static async create(options: GoogleKmsOptions): Promise<GoogleKmsClient> {
    const service = 'Google Cloud KMS';
    const sdk = await importOptional(service, '@google-cloud/kms', () => import('@google-cloud/kms'));
    const kit = await importOptional(service, 'google-auth-library', () => import('google-auth-library'));
    const agent = options.agent ?? createKitAgent(connectionsMax);
    const limits = limitsOf(agent);
    const { credentials, key } = options;
    const [, projectId] = /^projects\/([^/]+)\//.exec(key) ?? [];
    const auth = new kit.GoogleAuth({
      scopes: [scope],
      // Otherwise, the SDK starts the program gcloud, if there is one, to ask for the project.
      ...(projectId === undefined ? {} : { projectId }),
      ...(credentials === undefined
        ? { clientOptions: { transporterOptions: limits } }
        : { authClient: toAuthClient(kit, membersOf(JSON.parse(credentials.reveal())), limits) }),
    });
    // The SDK limits neither connections nor the size of responses, and has no setting for either.
    const send = auth.fetch.bind(auth);
    auth.fetch = (...[url, request]: Parameters<typeof fetch>) => send(url, { ...request, ...limits });
    const client = new sdk.KeyManagementServiceClient({ fallback: true, auth });
    return new GoogleKmsClient(client, agent);
  }

  private constructor(client: KeyManagementServiceClient, agent: KitAgent) {
    this.#client = client;
    this.#agent = agent;
  }

  encrypt(name: string, plaintext: Uint8Array, additionalAuthenticatedData: Uint8Array): Promise<Encrypted> {
    return this.#call('Encrypt', () =>
      this.#client.encrypt({ name, plaintext, additionalAuthenticatedData }, { retry }),
    );
  }

  decrypt(name: string, ciphertext: Uint8Array, additionalAuthenticatedData: Uint8Array): Promise<Decrypted> {
    return this.#call('Decrypt', () =>
      this.#client.decrypt({ name, ciphertext, additionalAuthenticatedData }, { retry }),
    );
  }

  async close(): Promise<void> {
    await this.#client.close();
    this.#agent.destroy();
  }

  async #call<T>(operation: string, send: () => Promise<readonly [T, ...unknown[]]>): Promise<T> {
    try {
      const [response] = await withinCallTime('Google Cloud KMS', send);
      return response;
    } catch (error) {
      throw toGoogleKmsError(operation, error);
    }
  }
}

type Kit = typeof GoogleAuthKit;
type Limits = ReturnType<typeof limitsOf>;

/** Returns a client for a key of a service account, which signs its own tokens, or for workload identity federation. */
function toAuthClient(kit: Kit, file: Readonly<Record<string, unknown>>, limits: Limits): GoogleAuthKit.AuthClient {
  if (file['type'] === 'service_account') {
    const [email, key] = [textOf(file['client_email']) ?? '', textOf(file['private_key']) ?? ''];
    const client = new kit.JWT({ email, key, scopes: [scope], transporterOptions: limits });
    client.useJWTAccessWithScope = true;
    return client;
  }
  const { type, audience, subject_token_type: subject, ...rest } = file;
  const [audienceText, subjectText] = [textOf(audience), textOf(subject)];
  const client =
    type === 'external_account' && audienceText !== undefined && subjectText !== undefined
      ? kit.ExternalAccountClient.fromJSON({
          ...rest,
          type,
          audience: audienceText,
          subject_token_type: subjectText,
          scopes: [scope],
          transporterOptions: limits,
        })
      : null;
  if (client !== null) return client;
  throw new KeyServiceError(
    'STRONGROOM_GOOGLE_KMS_CREDENTIALS are of a type that is not supported.',
    undefined,
    'unusable',
  );
}

/** Limits for requests. */
function limitsOf(agent: KitAgent) {
  return { agent: choosingAgent(agent), size: serviceResponseSizeMax };
}

const retry = {
  retryCodes: retried,
  backoffSettings: {
    initialRetryDelayMillis: 100,
    retryDelayMultiplier: 2,
    maxRetryDelayMillis: 1_000,
    initialRpcTimeoutMillis: attemptTimeoutMs,
    rpcTimeoutMultiplier: 1,
    maxRpcTimeoutMillis: attemptTimeoutMs,
    totalTimeoutMillis: callTimeoutMs,
  },
};
