import { DomainError } from '../../core/errors/domain-error.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { isCallerProof } from '../../platform/keyring/sign-in/caller-proof.ts';
import type { CallableProxy } from '../stored-proxies/index.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';

/** Throws unless the caller proves what the proxy demands. Nothing but headers and bytes has been looked at by then. */
export function requireProof({ proxy }: CallableProxy, { headers, body }: ProxyRequest): void {
  const { callerCheck } = proxy;
  if (callerCheck === null) return;
  const { header, secret } = callerCheck;
  const given = headerOf(headers, header.toLowerCase()) ?? '';
  const known = proxy.secrets.configuration.reveal()[secret];
  // A configuration without the secret cannot be saved. Without this check, an empty secret would be enough.
  const isProven =
    known !== undefined &&
    isCallerProof(callerCheck, { given, secret: new Sensitive(known), body: body ?? Buffer.alloc(0) });
  if (!isProven) throw new DomainError('unauthenticated', `The header ${header} does not prove who calls.`);
}

/**
 * Returns the request as it goes to the destination of a stored proxy. A caller without an API key refers to no tokens,
 * whatever its request contains.
 */
export function toStoredRequest(request: ProxyRequest, { proxy }: CallableProxy): ProxyRequest {
  const { callerCheck, disableDetokenization, destinationUrl, requireAuth } = proxy;
  const isPlain = disableDetokenization || !requireAuth || request.storedProxy?.isKeyless !== false;
  const proof = callerCheck?.header.toLowerCase();
  const headers = request.headers.filter(({ name }) => name.toLowerCase() !== proof);
  return { ...request, headers, destinationUrl, isPlain };
}
