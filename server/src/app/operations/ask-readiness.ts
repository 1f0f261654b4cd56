import { codeOf } from '../../core/errors/thrown.ts';
import { toPlace } from '../../core/network/place.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { askOnce } from '../../platform/outbound/operator-service.ts';

const timeoutMs = 3_000;
/** Maps listen-only addresses to addresses at which the server can be reached from the same machine. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface Readiness {
  readonly isReady: boolean;
  readonly detail: string;
}

/** Asks a server or worker on this machine whether it is ready. */
export async function askReadiness({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<Readiness> {
  const place = toPlace(reachable[host] ?? host, port);
  try {
    const answer = await askOnce(`http://${place}/readyz?verbose`, { method: 'GET' }, { timeoutMs });
    return { isReady: answer.status === 200, detail: describe(answer.body) };
  } catch (error) {
    return { isReady: false, detail: `No response from ${place} (${codeOf(error) ?? 'timeout'}). Is it running?` };
  }
}

/** Asks a server on this machine what is degraded. Returns nothing if no server responds. */
export async function askDegraded({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<{ readonly name: string; readonly detail: string; readonly remedy: string }[]> {
  const url = `http://${toPlace(reachable[host] ?? host, port)}/readyz?verbose`;
  const body = await askOnce(url, { method: 'GET' }, { timeoutMs }).then(
    (answer) => answer.body,
    () => '',
  );
  const { degraded } = membersOf(parse(body));
  return (Array.isArray(degraded) ? degraded : []).map((found) => {
    const { name, detail, remedy } = membersOf(found);
    return { name: String(name), detail: String(detail), remedy: typeof remedy === 'string' ? remedy : '' };
  });
}

/** Describes the failed checks by name. */
function describe(body: string): string {
  const { checks } = membersOf(parse(body));
  const failed = (Array.isArray(checks) ? checks : [])
    .map((check) => membersOf(check))
    .filter(({ status }) => status !== 'ok')
    .map(({ name }) => String(name));
  return failed.length === 0 ? 'all checks passed' : `unavailable: ${failed.join(', ')}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
