import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** A receiver of the operator that speaks TLS. The address is as trusted as the configuration. */
export interface TlsReceiver {
  readonly host: string;
  readonly port: number;
  /** If an authority is given, as PEM, no other authority is trusted. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Sends frames over a connection of their own and closes it. Resolves when the receiver has closed its side without an
 * error, which it does after reading everything. The certificate of the receiver is always verified.
 */
export function sendOverTls(receiver: TlsReceiver, frames: readonly Buffer[]): Promise<void> {
  const { host, port, ca, cert, key, timeoutMs } = receiver;
  return new Promise((resolve, reject) => {
    const given = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    };
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, minVersion: 'TLSv1.2', rejectUnauthorized: true, ...name, ...given });
    let isRead = false;
    const timer = setTimeout(() => socket.destroy(new Error('The receiver did not respond in time.')), timeoutMs);
    socket.once('secureConnect', () => {
      for (const frame of frames) socket.write(frame);
      socket.end();
    });
    socket.once('end', () => {
      isRead = socket.writableFinished;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      if (isRead) resolve();
      else reject(new Error('The receiver closed the connection early.'));
    });
    // Whatever a receiver sends is ignored, but it has to be read for the end to be noticed.
    socket.resume();
  });
}
