import { Command } from 'commander';
import { type DatabaseConfig, processEnvironment, readDatabaseConfig } from '../platform/config/config.ts';
import type { DrawerMoving, EndedMove } from '../platform/nodes/moving/drawer-moving.ts';
import { listOwnedNodes } from '../platform/config/owned-nodes.ts';
import { wholeNumberFrom } from './arguments.ts';
import { describeMoves, describeNodes, describePlan, toMoveJson, toNodesJson } from './nodes-text.ts';
import { printJson, printText } from './output.ts';
import { Progress } from './progress.ts';

const drawersMax = 4_096;

interface MoveFlags {
  readonly from: string;
  readonly to: string;
  readonly drawers?: number;
  readonly json?: boolean;
}

interface BalanceFlags {
  readonly withoutHome?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function nodesCommand(): Command {
  return new Command('nodes')
    .description('Spread tokens over several databases while the vault is running.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(moveCommand())
    .addCommand(balanceCommand())
    .addCommand(cancelCommand())
    .addCommand(releaseCommand())
    .addHelpText(
      'after',
      `
Tokens lie in ${drawersMax} drawers, by a hash of their ids. The database of the vault is called home; others are named in
STRONGROOM_NODES. To add one:
  1. create an empty database, and name it in STRONGROOM_NODES
  2. run strongroom nodes add NAME
  3. restart every server and worker with the same STRONGROOM_NODES: one that does not know a node cannot find its tokens
  4. run strongroom nodes balance`,
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List the databases that hold tokens, with their drawers and tokens.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { listNodes } = await import('../platform/nodes/moving/node-overview.ts');
      const nodes = await listNodes(listOwnedNodes(readConfig()));
      if (nodes.some((node) => 'problem' in node)) process.exitCode = 1;
      if (json === true) printJson(toNodesJson(nodes));
      else printText(describeNodes(nodes));
    });
}

function addCommand(): Command {
  return new Command('add')
    .description('Make an empty database a node of this vault. It holds no tokens until some are moved to it.')
    .argument('<name>', 'its name in STRONGROOM_NODES')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nCreates the schema. Safe to repeat.')
    .action(async (name: string, { json }: { json?: boolean }) => {
      const [home, ...nodes] = listOwnedNodes(readConfig());
      const node = nodes.find((one) => one.name === name);
      if (home === undefined || node === undefined) {
        throw new Error(`There is no node ${name} in STRONGROOM_NODES. Name it there, with its address.`);
      }
      const { migrate } = await import('../platform/database/migrator.ts');
      const { addNode } = await import('../platform/nodes/node-adding-store.ts');
      const { version } = await migrate(node.ownerUrl);
      await addNode(home, node);
      if (json === true) printJson({ name, version });
      else printText(`${name} is a node of this vault. \`strongroom nodes balance\` moves tokens to it.`);
    });
}

function moveCommand(): Command {
  return new Command('move')
    .description('Move drawers with their tokens from one database to another while the vault is running.')
    .requiredOption('--from <name>', 'database that gives them')
    .requiredOption('--to <name>', 'database that takes them')
    .option('--drawers <number>', 'how many; all by default', wholeNumberFrom(1, drawersMax))
    .option('--json', 'print a line of JSON per move')
    .addHelpText('after', continuing)
    .action(async ({ from, to, drawers, json }: MoveFlags) => {
      await report(json === true, async (moving) => {
        const finished = await moving.finish();
        if (finished.some((move) => !move.isGivenUp && move.from === from && move.to === to)) return finished;
        return [...finished, await moving.move({ from, to, ...(drawers === undefined ? {} : { drawers }) })];
      });
    });
}

function balanceCommand(): Command {
  return new Command('balance')
    .description('Move as few drawers as possible so that all databases hold equally many.')
    .option('--without-home', 'leave no drawers at home')
    .option('--dry-run', 'only print what would be moved')
    .option('--json', 'print a line of JSON per move')
    .addHelpText('after', continuing)
    .action(async ({ withoutHome = false, dryRun, json }: BalanceFlags) => {
      if (dryRun === true) return printPlan(withoutHome, json === true);
      await report(json === true, async (moving) => {
        const ended = await moving.finish();
        for (const move of await moving.planBalance({ withoutHome })) ended.push(await moving.move(move));
        return ended;
      });
    });
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('Give up a move that was interrupted, and delete what it has copied.')
    .option('--json', 'print a line of JSON per move')
    .addHelpText('after', '\nOnly until the drawers have arrived. After that, a move can only be completed.')
    .action(async ({ json }: { json?: boolean }) => {
      await report(json === true, (moving) => moving.giveUp());
    });
}

function releaseCommand(): Command {
  return new Command('release')
    .description('Make a database that was restored to an earlier state give up drawers that another holds too.')
    .requiredOption('--from <name>', 'database that was restored')
    .requiredOption('--to <name>', 'database that has held them since')
    .option('--json', 'print a line of JSON')
    .addHelpText(
      'after',
      '\nDeletes tokens of these drawers from the database that was restored. What the other database has is kept.',
    )
    .action(async ({ from, to, json }: MoveFlags) => {
      await report(json === true, async (moving) => [await moving.release({ from, to })]);
    });
}

const continuing = `
Servers keep serving: requests for the drawers wait for a moment when these change hands. If the command is stopped or killed, run
it again soon: it first completes what was begun, and until then some tokens may be unavailable.`;

async function printPlan(withoutHome: boolean, isJson: boolean): Promise<void> {
  const moves = await withMoving(undefined, (moving) => moving.planBalance({ withoutHome }));
  if (isJson) for (const move of moves) printJson(move);
  else printText(describePlan(moves));
}

/** Shows how far moves are, and then what they have done. */
async function report(isJson: boolean, work: (moving: DrawerMoving) => Promise<EndedMove[]>): Promise<void> {
  const progress = new Progress('Moving tokens', !isJson);
  const ended = await withMoving(progress, work);
  progress.end();
  if (isJson) for (const move of ended) printJson(toMoveJson(move));
  else printText(describeMoves(ended));
}

async function withMoving<T>(progress: Progress | undefined, work: (moving: DrawerMoving) => Promise<T>): Promise<T> {
  const config = readConfig();
  const { DrawerMoving } = await import('../platform/nodes/moving/drawer-moving.ts');
  let copied = 0;
  const watch = {
    onStep(step: string, tokens: number) {
      if (step === 'page-copied') copied += tokens;
      progress?.update(copied, undefined);
    },
  };
  return DrawerMoving.with({ nodes: listOwnedNodes(config), requiresStandby: config.requiresStandby, watch }, work);
}

function readConfig(): DatabaseConfig {
  return readDatabaseConfig(processEnvironment());
}
