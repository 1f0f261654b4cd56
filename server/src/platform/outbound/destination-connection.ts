import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { codeOf, toError } from '../../core/errors/thrown.ts';
import type { AddressGuard } from './address-guard.ts';
import { DestinationFailure } from './destination-failure.ts';
import { DestinationRefusal } from './destination-refusal.ts';
import type { Destination } from './destination-url.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';

/** The maximum number of addresses of a name that are tried. Nothing has been sent to those that failed. */
const attemptsMax = 3;

export interface ConnectOptions {
  readonly addresses: readonly string[];
  readonly guard: AddressGuard;
  readonly secureContext: SecureContext;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** Opens a verified connection to one of the checked addresses. It is used for one call only. */
export async function connectTo(destination: Destination, options: ConnectOptions): Promise<TLSSocket> {
  let failure: unknown;
  for (const address of options.addresses.slice(0, attemptsMax)) {
    try {
      return await dial(destination, address, options);
    } catch (error) {
      if (options.signal.aborted || error instanceof DestinationRefusal) throw error;
      // A wrong certificate means that the host was reached, so trying the next address would not help.
      if (error instanceof DestinationFailure && error.reason === 'untrusted') throw error;
      failure = error;
    }
  }
  throw failure instanceof DestinationFailure ? failure : new DestinationFailure('unreachable', failure);
}

async function dial(destination: Destination, address: string, options: ConnectOptions): Promise<TLSSocket> {
  const { signal, connectMs } = options;
  // The host is an address and not a name, so nothing is looked up again.
  const tcp = connectTcp({ host: address, port: destination.port, noDelay: true, autoSelectFamily: false });
  const timer = setTimeout(() => tcp.destroy(new DestinationFailure('unreachable')), connectMs);
  try {
    await opened(tcp, 'connect', signal);
    requirePeer(tcp, address, options.guard);
    const tls = connectTls({
      socket: tcp,
      servername: destination.host,
      secureContext: options.secureContext,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    });
    await opened(tls, 'secureConnect', signal);
    return tls;
  } catch (error) {
    tcp.destroy();
    if (signal.aborted) throw signal.reason;
    if (error instanceof DestinationRefusal) throw error;
    throw new DestinationFailure(isCertificateError(error) ? 'untrusted' : 'unreachable', error);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks the open connection again. The peer must be the checked address, and still be allowed. */
function requirePeer(socket: Socket, address: string, guard: AddressGuard): void {
  const peer = socket.remoteAddress ?? '';
  guard.requireAllowed(peer);
  const [dialled, reached] = [parseIpAddress(address), parseIpAddress(peer)];
  if (dialled === undefined || reached === undefined || Buffer.compare(dialled, reached) !== 0) {
    throw new DestinationRefusal('address-unreadable');
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => socket.destroy(toError(signal.reason));
  const onClose = () => reject(new DestinationFailure('unreachable'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once(event, resolve);
  socket.once('error', reject);
  socket.once('close', onClose);
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    socket.off('close', onClose);
  });
}

/**
 * Returns true for a certificate error. It has one of OpenSSL's verification codes, or Node's code for a wrong name.
 */
function isCertificateError(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code !== undefined && (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || /CERT|CRL|SIGNED|SIGNATURE|ISSUER/.test(code))
  );
}
