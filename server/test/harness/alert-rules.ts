import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

/** The monitoring files that operators install. */
export const monitoringFolder = path.resolve(import.meta.dirname, '../../../deploy/monitoring');

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export interface RuleFile {
  readonly name: string;
  readonly groups: readonly RuleGroup[];
}

/** Returns the commands of all runbooks: the text between ```bash and ```. */
export async function readRunbookCommands(): Promise<string> {
  const folder = path.resolve(monitoringFolder, '../../docs/runbooks');
  const pages = await Promise.all((await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')));
  return pages
    .flatMap((page) => [...page.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, commands = '']) => commands))
    .join('');
}

export async function readRuleFiles(): Promise<RuleFile[]> {
  const folder = path.join(monitoringFolder, 'rules');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const { groups } = parse(await readFile(path.join(folder, name), 'utf8')) as { groups: RuleGroup[] };
      return { name, groups };
    }),
  );
}

/** Returns the rule with all durations divided by the factor. With a factor of 30, 15 minutes become 30 seconds. */
export function speedUp(rule: Rule, factor: number): Rule {
  const shorten = (duration: string) => `${Math.round(toMs(duration) / factor)}ms`;
  const expr = rule.expr.replaceAll(/\[(\w+)(?::(\w+))?\]/g, (_, range: string, step?: string) =>
    step === undefined ? `[${shorten(range)}]` : `[${shorten(range)}:${shorten(step)}]`,
  );
  return { ...rule, expr, ...(rule.for === undefined ? {} : { for: shorten(rule.for) }) };
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function toMs(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const ms = unitMs[unit];
  if (ms === undefined) throw new Error(`${duration} is not a duration that the rules have used so far.`);
  return Number(count) * ms;
}

/** Returns the vault metrics that an expression uses, without histogram suffixes. */
export function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\bstrongroom_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
}

/** Returns the metrics listed in docs/metrics.md and those written by deploy/monitoring/record-run. */
export async function readKnownMetrics(): Promise<ReadonlySet<string>> {
  const page = await readFile(path.resolve(monitoringFolder, '../../docs/metrics.md'), 'utf8');
  const script = await readFile(path.join(monitoringFolder, 'record-run'), 'utf8');
  const listed = [...page.matchAll(/^\| `(strongroom_\w+)`/gm), ...script.matchAll(/# TYPE (strongroom_\w+)/g)];
  return new Set(listed.map(([, name = '']) => name));
}
