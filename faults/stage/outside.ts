import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EventReceiver } from '../../server/test/harness/event-receiver.ts';
import { MailServer } from '../../server/test/harness/mail-server.ts';
import { TestAuthority } from '../../server/test/harness/test-authority.ts';
import { TestResolver } from '../../server/test/harness/test-resolver.ts';
import { type SeenRequest, TlsDestination } from '../../server/test/harness/tls-destination.ts';
import { TransitEndpoint } from '../../server/test/harness/key-services/transit-endpoint.ts';
import { outsideAddress } from './network.ts';
import { ports } from './ports.ts';
import { Relay } from './relay.ts';

/** The host name of the destination in proxied calls. */
export const destinationName = 'destination.faults.example';

/** The path at which the receiver gets the log stream. */
export const streamPath = '/log';

/**
 * The services that a vault needs: Redis, mail, a key service, a destination, a receiver of webhooks and of a log stream,
 * and the load balancer for clients.
 */
export class Outside {
  readonly mail: MailServer;
  readonly keys: TransitEndpoint;
  readonly authority: TestAuthority;
  readonly destination: TlsDestination;
  readonly resolver: TestResolver;
  readonly events: EventReceiver;
  readonly mailLine: Relay;
  readonly keysLine: Relay;
  readonly #folder: string;
  #redis: ChildProcess | undefined;

  static async start(folder: string, servers: readonly string[]): Promise<Outside> {
    const authority = await TestAuthority.create();
    const certificate = await authority.issue(['localhost', '127.0.0.1', outsideAddress, destinationName]);
    await authority.remove();
    const parts = {
      authority,
      resolver: await TestResolver.start(outsideAddress),
      mail: await MailServer.start(),
      keys: await TransitEndpoint.start(certificate),
      destination: await TlsDestination.start(certificate, echo),
      events: await EventReceiver.start(certificate),
    };
    parts.resolver.set(destinationName, [outsideAddress]);
    const line = (port: number, to: number) =>
      Relay.start({ host: outsideAddress, port }, { host: '127.0.0.1', port: to });
    const outside = new Outside(folder, {
      ...parts,
      mailLine: await line(ports.mail, parts.mail.port),
      keysLine: await line(ports.keys, parts.keys.service.destination.port),
    });
    await line(ports.destination, parts.destination.port);
    await line(ports.events, parts.events.port);
    await writeFile(authorityIn(folder), authority.certificate);
    await outside.startRedis();
    await startFront(folder, servers);
    return outside;
  }

  private constructor(
    folder: string,
    parts: Pick<
      Outside,
      'mail' | 'keys' | 'authority' | 'destination' | 'resolver' | 'events' | 'mailLine' | 'keysLine'
    >,
  ) {
    this.#folder = folder;
    this.mail = parts.mail;
    this.keys = parts.keys;
    this.authority = parts.authority;
    this.destination = parts.destination;
    this.resolver = parts.resolver;
    this.events = parts.events;
    this.mailLine = parts.mailLine;
    this.keysLine = parts.keysLine;
  }

  /** The address of the receiver for webhooks. */
  get eventsUrl(): string {
    return `https://${destinationName}:${ports.events}`;
  }

  /** The settings with which the vault reaches these services. */
  get settings(): Record<string, string> {
    const url = `https://${outsideAddress}:${ports.events}${streamPath}`;
    const stream = { name: 'receiver', kind: 'https', url, authority_file: authorityIn(this.#folder) };
    return {
      STRONGROOM_REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
      STRONGROOM_SMTP_URL: `smtp://127.0.0.1:${ports.mail}`,
      STRONGROOM_MAIL_FROM: 'vault@strongroom.example',
      STRONGROOM_TRANSIT_URL: `https://localhost:${ports.keys}`,
      STRONGROOM_TRANSIT_KEY: 'strongroom',
      STRONGROOM_TRANSIT_TOKEN: this.keys.token,
      STRONGROOM_TRANSIT_NAMESPACE: this.keys.namespace,
      STRONGROOM_TRANSIT_CA: this.authority.certificate,
      STRONGROOM_PROXY_CA: this.authority.certificate,
      STRONGROOM_PROXY_PRIVATE_RANGES: `${outsideAddress}/32`,
      STRONGROOM_PROXY_RESOLVERS: this.resolver.address,
      STRONGROOM_PROXY_PORTS: `${ports.destination},${ports.events}`,
      STRONGROOM_LOG_STREAMS: JSON.stringify([stream]),
    };
  }

  async startRedis(): Promise<void> {
    const where = ['--bind', outsideAddress, '--port', String(ports.redis), '--protected-mode', 'no'];
    this.#redis = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no', '--dir', this.#folder], {
      stdio: 'ignore',
    });
    await once(this.#redis, 'spawn');
  }

  signalRedis(signal: NodeJS.Signals): void {
    this.#redis?.kill(signal);
  }
}

function authorityIn(folder: string): string {
  return path.resolve(folder, 'authority.pem');
}

/** Echoes the request body, so that a client sees what the vault sent. */
function echo(socket: Parameters<NonNullable<Parameters<typeof TlsDestination.start>[1]>>[0], { body }: SeenRequest) {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), body]));
}

/** Starts the load balancer for clients. It does not retry, so a request that a server loses fails for its client. */
async function startFront(folder: string, servers: readonly string[]): Promise<void> {
  const file = path.join(folder, 'front.cfg');
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  retries 0',
    'frontend clients',
    `  bind ${outsideAddress}:${ports.front}`,
    '  default_backend vault',
    'frontend statistics',
    `  bind ${outsideAddress}:${ports.frontStatistics}`,
    '  stats enable',
    '  stats uri /',
    'backend vault',
    '  balance roundrobin',
    // A busy machine may delay a check. A server is only considered not ready if it reports so, or after a long time
    // without a response.
    '  timeout check 5s',
    '  option httpchk GET /readyz',
    `  default-server port ${ports.serverAdmin} check inter 500ms fall 2 rise 1`,
    ...servers.map((address, index) => `  server app${index + 1} ${address}:${ports.server}`),
    '',
  ];
  await writeFile(file, lines.join('\n'));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  await once(child, 'spawn');
}
