import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from './deadline.ts';
import { stopProcess } from './stop-process.ts';

const recipes = fileURLToPath(new URL('../../../deploy/cells', import.meta.url));

/** A cell as a router sees it. */
export interface RoutedCell {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

/** A real router in front of several cells. It runs a recipe of `deploy/cells` with the addresses of this machine. */
export class CellRouter {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  /** Starts HAProxy, with a map of moved keys if there are any. */
  static startHaproxy(cells: readonly RoutedCell[], movedMap = path.join(recipes, 'moved.map')): Promise<CellRouter> {
    return CellRouter.#start(cells, {
      recipe: 'haproxy.cfg',
      adapt: (text, port) =>
        text
          .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
          .replace('/etc/haproxy/cells.map', path.join(recipes, 'cells.map'))
          .replaceAll('/etc/haproxy/moved.map', movedMap)
          // A busy machine may delay a check.
          .replaceAll('option httpchk', 'timeout check 10s\n  option httpchk')
          .replaceAll(/^ *server \S+-b .*\n/gm, ''),
      command: (file) => ['haproxy', '-db', '-f', file],
    });
  }

  static startNginx(cells: readonly RoutedCell[]): Promise<CellRouter> {
    return CellRouter.#start(cells, {
      recipe: 'nginx.conf',
      adapt: (text, port) => {
        const servers = text
          .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
          .replaceAll(/^ *ssl_.*\n/gm, '')
          .replaceAll(/^ *server \S+-b\..*\n/gm, '');
        return `daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${servers}}\n`;
      },
      command: (file) => ['nginx', '-e', 'stderr', '-p', path.dirname(file), '-c', file],
    });
  }

  static async #start(
    cells: readonly RoutedCell[],
    router: {
      readonly recipe: string;
      readonly adapt: (text: string, port: number) => string;
      readonly command: (file: string) => readonly [string, ...string[]];
    },
  ): Promise<CellRouter> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-cells-'));
    const port = await findFreePort();
    const file = path.join(directory, router.recipe);
    let text = router.adapt(await readFile(path.join(recipes, router.recipe), 'utf8'), port);
    for (const cell of cells) {
      text = text
        .replaceAll(`${cell.name}-a.internal:8080 port 8081`, `127.0.0.1:${cell.port} port ${cell.adminPort}`)
        .replaceAll(`${cell.name}-a.internal:8080`, `127.0.0.1:${cell.port}`);
    }
    await writeFile(file, text);
    const [program, ...parameters] = router.command(file);
    const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended early: ${said}`)));
    await Promise.race([untilListening(port), ended]);
    ended.catch(() => undefined);
    return new CellRouter({ port, child, directory });
  }

  private constructor(parts: { port: number; child: ChildProcess; directory: string }) {
    this.url = `http://127.0.0.1:${parts.port}`;
    this.#process = parts.child;
    this.#directory = parts.directory;
  }

  async stop(): Promise<void> {
    await stopProcess(this.#process);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function untilListening(port: number): Promise<void> {
  const isListening = async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined;
  await untilTrue(isListening, { waitingFor: `a router at port ${port}` });
}
