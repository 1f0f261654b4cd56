import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Sensitive } from '../../../src/core/identity/sensitive.ts';
import type { TransitOptions } from '../../../src/platform/keyring/kms/transit/transit-client.ts';
import { decryptAsService, encryptAsService, type EndpointAnswer, KeyServiceEndpoint } from './key-service-endpoint.ts';
import type { TestCertificate } from '../test-authority.ts';
import { headersOf, type SeenRequest } from '../tls-destination.ts';
import { TransitTokens } from './transit-tokens.ts';

interface TransitKey {
  /** The encryption key and HMAC key of each version. */
  readonly versions: { readonly key: Buffer; readonly hmacKey: Buffer }[];
  minDecryptionVersion: number;
}

type Input = Readonly<Record<string, unknown>>;

/**
 * An imitation of the Transit engine, written from the documentation of Vault and OpenBao. It supports key versions and
 * associated data, and returns OpenBao's error messages.
 */
export class TransitEndpoint {
  readonly token = `hvs.${randomUUID()}`;
  readonly namespace = 'payments/';
  readonly keys = new Map<string, TransitKey>([['strongroom', newKey()]]);
  isSealed = false;
  /** Signing in, renewing and looking up tokens. */
  readonly tokens = new TransitTokens(this.token);
  /** True to behave like a server from before `associated_data` existed. */
  ignoresAssociatedData = false;
  #endpoint: KeyServiceEndpoint | undefined;

  static async start(certificate: TestCertificate): Promise<TransitEndpoint> {
    const transit = new TransitEndpoint();
    transit.#endpoint = await KeyServiceEndpoint.start(certificate, (request) => transit.#answer(request));
    return transit;
  }

  get service(): KeyServiceEndpoint {
    if (this.#endpoint === undefined) throw new Error('The endpoint has not started.');
    return this.#endpoint;
  }

  /** Returns the options of a root key at this endpoint for a client that trusts this authority. */
  options(authority: string): TransitOptions {
    const { token, namespace } = this;
    const { url } = this.service;
    const signIn = { kind: 'token', token: new Sensitive(token) } as const;
    return { url, mount: 'transit', key: 'strongroom', signIn, namespace, authority };
  }

  /** Replaces the key of this name with another one. */
  replace(name: string): void {
    this.keys.set(name, newKey());
  }

  rotate(name: string): void {
    this.keys.get(name)?.versions.push(newVersion());
  }

  #answer(request: SeenRequest): EndpointAnswer {
    const headers = headersOf(request);
    if (this.isSealed) return refuse(503, 'Vault is sealed');
    if (headers['x-vault-namespace']?.join() !== this.namespace) return refuse(404, 'no handler for route');
    const token = headers['x-vault-token']?.join() ?? '';
    const signedIn = this.tokens.answer(request, token);
    if (signedIn !== undefined) return signedIn;
    if (!this.tokens.isValid(token)) return refuse(403, 'permission denied');
    const [, operation, name = ''] = /^POST \/v1\/transit\/(\w+)\/([\w.-]+) HTTP/.exec(request.head) ?? [];
    const input = JSON.parse(request.body.toString('utf8')) as Input;
    if (operation === 'encrypt') return this.#encrypt(name, input);
    const key = this.keys.get(name);
    if (operation === 'decrypt') return key === undefined ? noKey : this.#decrypt(key, input);
    if (operation === 'hmac') return key === undefined ? noKey : hmac(key, input);
    return refuse(404, `no handler for route "transit/${operation}". route entry not found.`);
  }

  /** Encrypts. Like the real engine, it creates a missing key if the token's policy allows it. */
  #encrypt(name: string, input: Input): EndpointAnswer {
    const key = this.keys.get(name) ?? newKey();
    this.keys.set(name, key);
    const version = key.versions.length;
    const sealed = encryptAsService(
      key.versions[version - 1]?.key ?? Buffer.alloc(0),
      Buffer.from(String(input['plaintext']), 'base64'),
      this.#associatedData(input),
    );
    return succeed({ ciphertext: `vault:v${version}:${sealed.toString('base64')}`, key_version: version });
  }

  #decrypt(key: TransitKey, input: Input): EndpointAnswer {
    const [, text = '', sealed = ''] = /^vault:v(\d+):(.*)$/.exec(String(input['ciphertext'])) ?? [];
    const version = Number(text);
    const used = key.versions[version - 1];
    if (text === '') return refuse(400, 'invalid ciphertext: no prefix');
    if (used === undefined) return refuse(400, 'invalid ciphertext: version is too new');
    if (version < key.minDecryptionVersion) {
      return refuse(400, 'ciphertext or signature version is disallowed by policy (too old)');
    }
    try {
      const plaintext = decryptAsService(used.key, Buffer.from(sealed, 'base64'), this.#associatedData(input));
      return succeed({ plaintext: plaintext.toString('base64') });
    } catch {
      return refuse(400, 'cipher: message authentication failed');
    }
  }

  #associatedData(input: Input): Buffer {
    const given = input['associated_data'];
    return Buffer.from(this.ignoresAssociatedData || typeof given !== 'string' ? '' : given, 'base64');
  }
}

const noKey: EndpointAnswer = refuse(400, 'encryption key not found');

function newKey(): TransitKey {
  return { versions: [newVersion()], minDecryptionVersion: 1 };
}

function newVersion(): TransitKey['versions'][number] {
  return { key: randomBytes(32), hmacKey: randomBytes(32) };
}

function hmac(key: TransitKey, input: Input): EndpointAnswer {
  const version = Number(input['key_version'] ?? key.versions.length);
  const used = key.versions[version - 1];
  if (used === undefined || version < key.minDecryptionVersion) return refuse(400, 'no such key version');
  const digest = createHmac('sha256', used.hmacKey)
    .update(Buffer.from(String(input['input']), 'base64'))
    .digest('base64');
  return succeed({ hmac: `vault:v${version}:${digest}` });
}

function succeed(data: Input): EndpointAnswer {
  const rest = { lease_id: '', renewable: false, lease_duration: 0, wrap_info: null, warnings: null, auth: null };
  return { status: 200, body: { request_id: randomUUID(), ...rest, data } };
}

function refuse(status: number, reason: string): EndpointAnswer {
  return { status, body: { errors: [reason] } };
}
