import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * The script reads from a pipe whose other end only the watched process holds. Anything that ends that process,
 * including SIGKILL, closes the pipe. SIGINT lets PostgreSQL stop cleanly. A zombie that is not reaped still looks
 * alive, so the pid file is checked as well.
 */
const script = `
pid=
while read -r word value; do
  case $word in
    started) pid=$value ;;
    ended) pid= ;;
    finished) exit 0 ;;
  esac
done
if [ -n "$pid" ]; then
  kill -INT "$pid"
  tries=0
  while kill -0 "$pid" && [ -e "$CLUSTER/postmaster.pid" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 300 ] || { kill -KILL "$pid"; break; }
    sleep 0.1
  done
fi
tries=0
while [ -n "$TEMPORARY" ] && [ -e "$TEMPORARY" ] && [ "$tries" -lt 100 ]; do
  rm -rf -- "$TEMPORARY" || sleep 0.1
  tries=$((tries + 1))
done
`;

/**
 * A shell that briefly outlives this process if it dies without stopping its PostgreSQL. The shell then stops the
 * server and removes its temporary data. Linux can tie two processes together, but macOS cannot. A pipe works on both.
 */
export class Watchdog {
  readonly #shell: ChildProcess;
  readonly #exited: Promise<unknown>;

  /** Starts a watchdog. `temporary` is removed if this process dies. It is undefined if the data must be kept. */
  static start(paths: { readonly cluster: string; readonly temporary: string | undefined }): Watchdog {
    return new Watchdog(paths);
  }

  private constructor({ cluster, temporary = '' }: { cluster: string; temporary: string | undefined }) {
    this.#shell = spawn('/bin/sh', ['-c', script], {
      // The environment of this process is not passed on, because it may contain secrets.
      env: { PATH: '/usr/bin:/bin', CLUSTER: cluster, TEMPORARY: temporary },
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      // The shell has its own session, so that Ctrl-C or a signal to the whole group does not end it first.
      detached: true,
    });
    // Without a shell there is no watchdog, but everything else works.
    this.#exited = once(this.#shell, 'exit').catch(() => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    // The shell must not keep this process alive.
    this.#shell.unref();
  }

  /** Sets the process that the shell stops if this one dies. There can be only one at a time. */
  started(pid: number | undefined): void {
    if (pid !== undefined) this.#tell(`started ${pid}`);
  }

  /** Clears the process, because it has exited. From now on, its id may belong to another process. */
  ended(): void {
    this.#tell('ended');
  }

  /** Ends the watchdog. It must be called after everything has been stopped and removed. */
  async finish(): Promise<void> {
    this.#shell.ref();
    this.#tell('finished');
    await this.#exited;
  }

  #tell(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }
}
