import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ContainerEngine, type Outcome, outcomeOf, outputOf, repository, shipFolder } from './container-engine.ts';
import { untilTrue } from './deadline.ts';

const programs = path.join(shipFolder, 'docker/root/usr');
const composeProgram = path.join(programs, 'libexec/docker/cli-plugins/docker-compose');

/**
 * A Docker engine in its own network namespace. Published ports are reachable only from there,
 * and there is no route out.
 */
export class DockerEngine {
  readonly #server: ChildProcess;
  readonly #folder: string;

  static async start(): Promise<DockerEngine> {
    // The path is short because socket paths have a length limit.
    const folder = await mkdtemp(path.join(tmpdir(), 'ship-docker-'));
    const script = path.join(repository, 'scripts/ship/docker-engine');
    const server = spawn(script, [shipFolder, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
    });
    const engine = new DockerEngine(server, folder);
    await untilTrue(
      async () => {
        if (server.exitCode !== null) throw new Error(`The Docker engine has stopped: ${said}`);
        return (await engine.#call(path.join(programs, 'bin/docker'), ['version'])).code === 0;
      },
      { waitingFor: 'the Docker engine' },
    );
    return engine;
  }

  private constructor(server: ChildProcess, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  async docker(...parameters: readonly string[]): Promise<string> {
    return toOutput(await this.#call(path.join(programs, 'bin/docker'), parameters));
  }

  /** Runs docker compose with a file. Images are never pulled or built. */
  compose(
    file: string,
    parameters: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<Outcome> {
    return this.#call(composeProgram, ['--file', file, ...parameters], environment);
  }

  /** Copies an image from the other engine. */
  async load(engine: ContainerEngine, image: string): Promise<void> {
    const archive = path.join(this.#folder, 'image.tar');
    await engine.podman('save', '--quiet', '--format=docker-archive', `--output=${archive}`, image);
    await this.docker('load', '--quiet', '--input', archive);
    await rm(archive);
  }

  /** Runs a host program in the engine's network. */
  async inNetwork(...command: readonly string[]): Promise<string> {
    return outputOf('nsenter', [`--net=/proc/${this.#server.pid}/ns/net`, ...command]);
  }

  /** Returns the environment and arguments of all processes in the containers, read from `/proc`. */
  async readProcesses(containers: readonly string[]): Promise<string> {
    const pids = await this.docker('inspect', '--format={{.State.Pid}}', ...containers);
    const files = pids
      .trim()
      .split('\n')
      .flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
    return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  }

  async stop(): Promise<void> {
    if (this.#server.exitCode === null) {
      this.#server.kill('SIGTERM');
      await once(this.#server, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #call(
    file: string,
    parameters: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const { PATH, HOME } = process.env;
    return outcomeOf(file, parameters, {
      env: { PATH, HOME, DOCKER_HOST: `unix://${this.#folder}/docker.sock`, ...environment },
    });
  }
}

function toOutput({ code, stdout, stderr }: Outcome): string {
  if (code !== 0) throw new Error(`docker ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
