import { readdirSync, readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** CPU seconds that a test file, or the processes started by the run, have used. */
interface Cost {
  readonly total: number;
  /** The process that runs the tests. */
  readonly worker: number;
  /** The PostgreSQL that all files share. */
  readonly postgres: number;
}

interface Process {
  readonly name: string;
  readonly parent: number;
  readonly own: number;
  /** The CPU seconds of children that have ended. */
  readonly ended: number;
}

const ticksPerSecond = 100;
const shownMax = 50;

/**
 * Lists the test files that use the most CPU time. Wall time says little on a shared machine. `npm run test:cost` runs
 * one worker, so that all CPU time between the ends of two files belongs to the second. That of the first file includes
 * the start of the worker. Reads /proc, so it needs Linux.
 */
// oxlint-disable-next-line import/no-default-export -- Vitest takes the default export of a reporter's file.
export default class CostReporter implements Reporter {
  readonly #costs = new Map<string, Cost>();
  #last: Cost = { total: 0, worker: 0, postgres: 0 };

  onTestRunStart(): void {
    this.#last = measure();
  }

  onTestModuleEnd(module: TestModule): void {
    const now = measure();
    const { total, worker, postgres } = this.#last;
    this.#costs.set(module.relativeModuleId, {
      total: now.total - total,
      worker: now.worker - worker,
      postgres: now.postgres - postgres,
    });
    this.#last = now;
  }

  onTestRunEnd(): void {
    const files = [...this.#costs].toSorted(([, a], [, b]) => b.total - a.total);
    const lines = files.slice(0, shownMax).map(([file, cost]) => toLine(file, cost));
    const sum = (part: keyof Cost) => files.reduce((seconds, [, cost]) => seconds + cost[part], 0);
    const all = { total: sum('total'), worker: sum('worker'), postgres: sum('postgres') };
    process.stdout.write(`\nCPU seconds\n${[...lines, toLine(`all ${files.length} files`, all)].join('\n')}\n`);
  }
}

function toLine(file: string, { total, worker, postgres }: Cost): string {
  const show = (seconds: number) => seconds.toFixed(1).padStart(6);
  const others = total - worker - postgres;
  return `${show(total)} = tests ${show(worker)} + PostgreSQL ${show(postgres)} + other programs ${show(others)}  ${file}`;
}

/** Returns what this process and its descendants have used so far. */
function measure(): Cost {
  const processes = listProcesses();
  let [total, worker, postgres] = [0, 0, 0];
  for (const [id, { name, own, ended }] of processes) {
    const depth = depthOf(id, processes);
    if (depth === undefined) continue;
    total += own + ended;
    if (isOfPostgres(id, processes)) postgres += own + ended;
    else if (depth === 1 && name !== 'redis-server') worker += own;
  }
  return { total, worker, postgres };
}

/** Returns 0 for this process, 1 for its children, and so on. Undefined for processes of others. */
function depthOf(id: number, processes: ReadonlyMap<number, Process>): number | undefined {
  for (let depth = 0; ; depth += 1) {
    if (id === process.pid) return depth;
    const parent = processes.get(id)?.parent;
    if (parent === undefined) return undefined;
    id = parent;
  }
}

/** True for the PostgreSQL that this process has started, but not for those that tests start. */
function isOfPostgres(id: number, processes: ReadonlyMap<number, Process>): boolean {
  const found = processes.get(id);
  if (found?.name !== 'postgres') return false;
  return found.parent === process.pid || isOfPostgres(found.parent, processes);
}

function listProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const text = readStat(id);
    const end = text.lastIndexOf(')');
    if (end === -1) continue;
    // The fields after the name: state, parent, …, and from the twelfth on the times, in ticks (proc(5)).
    const fields = text
      .slice(end + 2)
      .split(' ')
      .map(Number);
    const at = (index: number) => (fields[index] ?? 0) / ticksPerSecond;
    processes.set(Number(id), {
      name: text.slice(text.indexOf('(') + 1, end),
      parent: fields[1] ?? 0,
      own: at(11) + at(12),
      ended: at(13) + at(14),
    });
  }
  return processes;
}

/** Returns nothing for a process that has ended in the meantime. */
function readStat(id: string): string {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return '';
  }
}
