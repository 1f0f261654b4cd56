import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import { type GroundFinding, ok } from '../../platform/database/ground/ground-finding.ts';
import { isEncrypted } from '../../platform/database/ground/database-inspection.ts';

const name = 'database TLS';
const promise = 'nobody on the network can read or change what the vault and PostgreSQL send each other';

/** Checks that connections that leave this machine are encrypted, and that the certificate of PostgreSQL is checked. */
export async function checkTransport({ url, ownerUrl }: DatabaseConfig): Promise<GroundFinding> {
  const remote = [...new Set([url, ownerUrl])].filter((it) => !staysHere(new URL(it)));
  if (remote.length === 0) return ok(name, 'not needed: connections stay on this machine');
  for (const address of remote) {
    const { hostname } = new URL(address);
    if (!(await isEncrypted(address))) {
      return warn(
        `the connection to ${hostname} is not encrypted`,
        'enable TLS in PostgreSQL, and add ?sslmode=verify-full to the database address; with a CA of your own also &sslrootcert=/path/to/ca.pem (docs/operate/install.md#tls-to-postgresql)',
      );
    }
    if (!isVerified(new URL(address))) {
      return warn(
        `the certificate of ${hostname} is not checked`,
        'use sslmode=verify-full in the database address, and sslrootcert for a CA of your own (docs/operate/install.md#tls-to-postgresql)',
      );
    }
  }
  return ok(name, 'connections are encrypted, and the certificate of PostgreSQL is checked');
}

function warn(detail: string, remedy: string): GroundFinding {
  return { name, verdict: 'warn', detail, promise, remedy };
}

/** Returns true for a loopback address, such as that of a proxy beside the vault, and for a Unix socket. */
function staysHere({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? hostname;
  return host === '' || host.startsWith('/') || host.startsWith('%2F') || loopbackHosts.includes(host);
}

/** Returns true if the driver compares the certificate with a CA and with the name of the host. */
function isVerified({ searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode');
  if (mode === 'no-verify') return false;
  return searchParams.get('uselibpqcompat') !== 'true' || mode === 'verify-full';
}
