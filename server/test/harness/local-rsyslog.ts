import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from './deadline.ts';
import type { TestAuthority } from './test-authority.ts';

/** Debian's rsyslog as a receiver of syslog over TLS, which writes each message to a file as it is. */
export class LocalRsyslog {
  readonly port: number;
  readonly #directory: string;
  #process: ChildProcess | undefined;

  /** If it demands a certificate of clients, it accepts those of the authority. */
  static async start(authority: TestAuthority, { demandsCertificate = false } = {}): Promise<LocalRsyslog> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-rsyslog-'));
    const file = (name: string) => path.join(directory, name);
    const { cert, key } = await authority.issue(['127.0.0.1']);
    await Promise.all([
      writeFile(file('ca.pem'), authority.certificate),
      writeFile(file('cert.pem'), cert),
      writeFile(file('key.pem'), key),
    ]);
    const port = await findFreePort();
    await writeFile(
      file('rsyslog.conf'),
      toConfiguration(directory, port, demandsCertificate ? 'x509/certvalid' : 'anon'),
    );
    const rsyslog = new LocalRsyslog(directory, port);
    await rsyslog.resume();
    return rsyslog;
  }

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.port = port;
  }

  /** The path of the messages. */
  get messagesFile(): string {
    return path.join(this.#directory, 'messages.ndjson');
  }

  async messages(): Promise<string[]> {
    const text = await readFile(this.messagesFile, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Starts it, again if it was stopped. */
  async resume(): Promise<void> {
    const file = (name: string) => path.join(this.#directory, name);
    this.#process = spawn('rsyslogd', ['-n', '-f', file('rsyslog.conf'), '-i', file('pid')], { stdio: 'ignore' });
    await untilTrue(() => isListening(this.port), { waitingFor: 'rsyslog to listen' });
  }

  /** Ends it. What it has read is written first. */
  async pause(): Promise<void> {
    if (this.#process === undefined || this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.pause();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** The configuration of docs/operate/log-streams.md, with the paths and the port of a test. */
function toConfiguration(directory: string, port: number, mode: string): string {
  return `global(workDirectory="${directory}" maxMessageSize="128k"
  defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${directory}/ca.pem"
  defaultNetstreamDriverCertFile="${directory}/cert.pem"
  defaultNetstreamDriverKeyFile="${directory}/key.pem")
module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="${mode}")
template(name="message" type="string" string="%msg%\\n")
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="strongroom")
ruleset(name="strongroom") {
  action(type="omfile" file="${directory}/messages.ndjson" template="message")
}
`;
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
  return promise;
}
