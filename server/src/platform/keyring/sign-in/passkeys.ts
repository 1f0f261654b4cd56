import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { membersOf } from '../../../core/objects/members-of.ts';

/** The stored part of a passkey. None of it is secret. */
export interface Passkey {
  readonly id: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
}

/** The request to a browser, in the JSON form of WebAuthn, and the challenge that its response must contain. */
export interface PasskeyQuestion {
  readonly options: string;
  readonly challenge: string;
}

/** EdDSA, ES256 and RS256 (RFC 9053 §2, RFC 8812 §2): every authenticator supports at least one of them. */
const supportedAlgorithmIDs = [-8, -7, -257];

/**
 * Creates and verifies passkeys for the host name of this vault (WebAuthn level 3). The authenticator always stores a
 * passkey together with its user, and always verifies the user. A passkey therefore counts as two factors, and users do
 * not have to type their address.
 */
export class Passkeys {
  readonly #origin: string;
  readonly #rpID: string;

  constructor(publicUrl: string) {
    const { origin, hostname } = new URL(publicUrl);
    this.#origin = origin;
    this.#rpID = hostname;
  }

  async ask(): Promise<PasskeyQuestion> {
    const options = await generateAuthenticationOptions({ rpID: this.#rpID, userVerification: 'required' });
    return { options: JSON.stringify(options), challenge: options.challenge };
  }

  async askForNew(
    user: { readonly id: string; readonly name: string },
    known: readonly Buffer[],
  ): Promise<PasskeyQuestion> {
    const options = await generateRegistrationOptions({
      rpName: 'Strongroom',
      rpID: this.#rpID,
      userName: user.name,
      userID: toUserHandle(user.id),
      attestationType: 'none',
      supportedAlgorithmIDs,
      excludeCredentials: known.map((id) => ({ id: id.toString('base64url') })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { options: JSON.stringify(options), challenge: options.challenge };
  }

  /** Returns undefined if the response is invalid for any reason. */
  async verifyNew(answer: string, challenge: string): Promise<Passkey | undefined> {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library verifies it or throws.
      const response = JSON.parse(answer) as RegistrationResponseJSON;
      // Any other attestation format contains certificates with addresses for checking them.
      const attestation = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'));
      if (attestation.get('fmt') !== 'none') return undefined;
      const { registrationInfo } = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#rpID,
        requireUserVerification: true,
        supportedAlgorithmIDs,
      });
      if (registrationInfo === undefined) return undefined;
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return {
        id: Buffer.from(id, 'base64url'),
        publicKey: Buffer.from(publicKey),
        signCount: counter,
        transports: transports.filter((text) => /^[a-z-]{1,20}$/.test(text)).slice(0, 10),
      };
    } catch {
      return undefined;
    }
  }

  /** Returns the id of the passkey that a response names. */
  readId(answer: string): Buffer | undefined {
    try {
      const { id } = membersOf(JSON.parse(answer));
      return typeof id === 'string' ? Buffer.from(id, 'base64url') : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the new signature count of the passkey, or undefined if the response is invalid. */
  async verify(
    answer: string,
    challenge: string,
    known: Passkey & { readonly userId: string },
  ): Promise<number | undefined> {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library verifies it or throws.
      const response = JSON.parse(answer) as AuthenticationResponseJSON;
      const { userHandle } = response.response;
      if (userHandle !== undefined && !toUserHandle(known.userId).equals(Buffer.from(userHandle, 'base64url'))) {
        return undefined;
      }
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#rpID,
        requireUserVerification: true,
        credential: {
          id: known.id.toString('base64url'),
          publicKey: new Uint8Array(known.publicKey),
          counter: known.signCount,
        },
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      return undefined;
    }
  }
}

function toUserHandle(userId: string): Buffer<ArrayBuffer> {
  return Buffer.from(userId.replaceAll('-', ''), 'hex');
}
