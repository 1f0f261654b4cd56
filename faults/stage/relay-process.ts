import { createInterface } from 'node:readline';
import { type LineState, Relay } from './relay.ts';

/*
 * The lines of one machine, in a process of it: `name=listen-port:host:port` as arguments; a line of standard input says how one
 * of them fares from now on.
 */
export interface LineOrder {
  readonly line: string;
  readonly state: LineState;
}

const lines = new Map<string, Relay>();
for (const argument of process.argv.slice(2)) {
  const [, name = '', from, host = '', port] = /^(\w+)=(\d+):([^:]+):(\d+)$/.exec(argument) ?? [];
  lines.set(name, await Relay.start({ host: '127.0.0.1', port: Number(from) }, { host, port: Number(port) }));
}
process.stdout.write('ready\n');
for await (const text of createInterface({ input: process.stdin })) {
  const { line, state } = JSON.parse(text) as LineOrder;
  lines.get(line)?.set(state);
}
