import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Destinations {
  readonly host: string;
  readonly port: number;
  readonly resolver: string;
  readonly authority: string;
  readonly hostileCount: number;
}

/** Starts the destinations in a process of their own. */
export async function startDestinations(): Promise<{ process: ChildProcess; destinations: Destinations }> {
  const program = fileURLToPath(new URL('destinations.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { process: child, destinations: JSON.parse(line) as Destinations };
}

/** The settings with which a vault reaches the destinations. */
export function settingsFor({ authority, port, resolver }: Destinations): Record<string, string> {
  return {
    STRONGROOM_PROXY_CA: authority,
    STRONGROOM_PROXY_PRIVATE_RANGES: '127.0.0.0/8',
    STRONGROOM_PROXY_PORTS: String(port),
    STRONGROOM_PROXY_RESOLVERS: resolver,
  };
}
