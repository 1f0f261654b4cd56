import type { PlannedMove } from '../platform/nodes/moving/balance-plan.ts';
import type { EndedMove } from '../platform/nodes/moving/drawer-moving.ts';
import type { NodeOverview } from '../platform/nodes/moving/node-overview.ts';
import { toTable } from './text-table.ts';

export function describeNodes(nodes: readonly NodeOverview[]): string {
  return toTable(
    ['NAME', 'DRAWERS', 'TOKENS', 'STATE'],
    nodes.map((node) =>
      'problem' in node
        ? [node.name, '-', '-', node.problem]
        : [node.name, String(node.drawers), String(node.tokens), describeState(node)],
    ),
  );
}

export function toNodesJson(nodes: readonly NodeOverview[]) {
  return {
    nodes: nodes.map((node) =>
      'problem' in node
        ? { name: node.name, is_reachable: false, problem: node.problem }
        : {
            name: node.name,
            is_reachable: true,
            drawers: node.drawers,
            tokens: node.tokens,
            ...(node.moving === undefined ? {} : { moving: node.moving }),
          },
    ),
  };
}

export function describeMoves(moves: readonly EndedMove[]): string {
  if (moves.length === 0) return 'Nothing had to be moved.';
  return moves.map(describeMove).join('\n');
}

export function toMoveJson({ from, to, drawers, tokens, gapMs, isGivenUp }: EndedMove) {
  return { from, to, drawers, tokens, gap_ms: gapMs === undefined ? null : Math.round(gapMs), is_given_up: isGivenUp };
}

export function describePlan(moves: readonly PlannedMove[]): string {
  if (moves.length === 0) return 'Nothing has to be moved.';
  return moves.map(({ from, to, drawers }) => `Would move ${drawers} drawers from ${from} to ${to}.`).join('\n');
}

function describeState({ moving }: Exclude<NodeOverview, { readonly problem: string }>): string {
  if (moving === undefined) return 'ok';
  return `moving ${moving.drawers} drawers to ${moving.to} (${moving.state})`;
}

function describeMove({ from, to, drawers, tokens, gapMs, isGivenUp }: EndedMove): string {
  if (isGivenUp) return `Gave up moving ${drawers} drawers from ${from} to ${to}: ${from} still holds them.`;
  const gap = gapMs === undefined ? '' : `; requests for them waited for up to ${Math.ceil(gapMs)} ms`;
  return `Moved ${drawers} drawers with ${tokens} tokens from ${from} to ${to}${gap}.`;
}
