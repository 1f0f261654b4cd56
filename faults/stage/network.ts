import { mkdir } from 'node:fs/promises';
import { runCommand } from './run-command.ts';
import { Host } from './host.ts';

const bridge = 'stage';

/**
 * The address of the machine that runs the clients, the mail server, the key service and the destinations. That machine
 * is the namespace that this program runs in.
 */
export const outsideAddress = '10.77.0.1';

/** A network of machines on one bridge. Any machine can be cut off from any other, in one direction or both. */
export class Network {
  readonly #hosts: Host[] = [];

  static async create(): Promise<Network> {
    for (const folder of ['/run/netns', '/dev/shm']) {
      await mkdir(folder, { recursive: true });
      await runCommand('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', folder]);
    }
    const ip = (line: string) => runCommand('ip', line.split(' '));
    await ip('link set lo up');
    await ip(`link add ${bridge} type bridge`);
    await ip(`address add ${outsideAddress}/24 dev ${bridge}`);
    await ip(`link set ${bridge} up`);
    return new Network();
  }

  async add(name: string, number: number, folder: string): Promise<Host> {
    const host = await Host.create({ name, address: `10.77.0.${number}`, folder, bridge });
    this.#hosts.push(host);
    return host;
  }

  /** Drops all packets from one machine to another. */
  async cut(from: Host, to: Host): Promise<void> {
    await to.filter(`-A INPUT -s ${from.address} -j DROP`);
  }

  /** Cuts a machine off from all others in both directions. Machines in `exceptFor` stay reachable. */
  async isolate(host: Host, exceptFor: readonly Host[] = []): Promise<void> {
    for (const other of this.#hosts) {
      if (other === host || exceptFor.includes(other)) continue;
      await this.cut(host, other);
      await this.cut(other, host);
    }
  }

  async heal(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.filter('-F INPUT')));
  }
}
