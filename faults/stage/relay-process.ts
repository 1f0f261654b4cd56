import { createInterface } from 'node:readline';
import { type LineState, Relay } from './relay.ts';

/*
 * The relays of one machine, run by one of its processes. Arguments have the form `name=listen-port:host:port`. Each
 * line of standard input changes the state of a relay.
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
