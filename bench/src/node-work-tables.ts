import type { CountedWork, Work } from './node-work.ts';

const measures = [
  ['Statements', ({ statements }) => statements],
  ['Rows', ({ rows }) => rows],
  ['WAL, KiB', ({ walBytes }) => walBytes / 1_024],
  ['Buffers', ({ buffers }) => buffers],
  ['Time, ms', ({ milliseconds }) => milliseconds],
  ['Processor, ms', ({ processorMs }) => processorMs],
] as const satisfies readonly (readonly [string, (work: Work) => number])[];
const names = measures.map(([name]) => name);

/** What each node did, from the least to the most; then how far the busiest one is from its share, if one node was measured too. */
export function toWorkTables(counted: readonly CountedWork[]): string {
  const done = counted.map((one) => [
    ...headOf(one),
    count(one.home.statements),
    ...measures.map(([, measure]) => rangeOf(one.nodes.map(measure))),
    (sum(one, 'rows') / sum(one, 'statements')).toFixed(1),
  ]);
  const shares = counted.flatMap((one) => {
    const alone = counted.find(({ operation, nodes }) => nodes.length === 1 && operation === one.operation)?.nodes[0];
    return alone === undefined
      ? []
      : [[...headOf(one), ...measures.map(([, measure]) => shareOf(one, alone, measure))]];
  });
  const head = ['Nodes', 'Clients', 'Work', 'Seconds'];
  const tables = [toTable([...head, 'Statements on home', ...names, 'Rows in a statement'], done)];
  if (shares.length > 2) tables.push('Busiest node × nodes ÷ one node alone:\n', toTable([...head, ...names], shares));
  return `${tables.join('\n')}\n`;
}

function headOf({ nodes, clients, requests, operation, seconds }: CountedWork): string[] {
  return [String(nodes.length), count(clients), `${count(requests)} × ${operation}`, seconds.toFixed(1)];
}

/** One is a node that does exactly its part of what a single one did. */
function shareOf({ nodes }: CountedWork, alone: Work, measure: (work: Work) => number): string {
  return ((Math.max(...nodes.map(measure)) * nodes.length) / measure(alone)).toFixed(2);
}

function rangeOf(numbers: readonly number[]): string {
  const [least, most] = [count(Math.min(...numbers)), count(Math.max(...numbers))];
  return least === most ? least : `${least}–${most}`;
}

function sum({ nodes }: CountedWork, name: keyof Work): number {
  return nodes.reduce((total, work) => total + work[name], 0);
}

function count(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
