import { setTimeout as pauseFor } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import type { VaultCore } from '../../app/wiring/vault-core.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { counted } from '../../core/text/counted.ts';
import type { ErasureService, ShownErasure } from '../../features/retention/index.ts';
import { parseTenant, parseUuid } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';
import { toTable } from '../terminal/text-table.ts';
import { withVault } from '../terminal/with-vault.ts';

interface EraseFlags {
  readonly tenant: TenantId;
  readonly container?: string;
  readonly type?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly erasure?: string;
  readonly confirm?: number;
  readonly wait?: boolean;
  readonly json?: boolean;
}

const listedMax = 50;
const lookAgainMs = 1_000;

export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'Count the tokens of a tenant that belong together, and have them removed once you confirm the number.',
    )
    .requiredOption('--tenant <id>', 'tenant to erase from', parseTenant)
    .option('--container <container>', 'only tokens in this container and everything in it')
    .option('--type <type>', 'only tokens of this type')
    .option('--metadata <key=value>', 'only tokens with this pair of metadata; repeat it for several', addPair, {})
    .option('--erasure <id>', 'an erasure that was counted before, to confirm it', parseUuid)
    .option('--confirm <number>', 'how many tokens may be removed, as they were counted', parseCount)
    .option('--wait', 'show the progress until the receipt is written')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
  strongroom tokens erase --tenant <id> --metadata customer=c-1042                 counts; prints an id
  strongroom tokens erase --tenant <id> --erasure <id> --confirm 12 --wait         removes at most 12 tokens
  strongroom tokens receipt write --tenant <id> --erasure <id> --output customer.receipt

\`strongroom work\` removes the tokens. If the tenant requires approvals, two owners or admins approve it first, in the portal.
Tokens under a legal hold are left.`,
    )
    .action(async (flags: EraseFlags) => {
      const work = withErasures(flags.tenant, async (erasures, requester) => {
        let shown =
          flags.erasure === undefined
            ? await erasures.create(requester, await toSelectionOf(flags))
            : await erasures.get(requester, flags.erasure);
        if (flags.confirm !== undefined) shown = await erasures.confirm(requester, shown.id, flags.confirm);
        if (flags.wait === true && flags.confirm !== undefined)
          shown = await waitUntilOver(() => erasures.get(requester, shown.id), flags.json !== true);
        if (flags.json === true) printJson(await toJson(shown));
        else printText(describe(shown, flags.tenant));
        if (shown.status === 'stopped') process.exitCode = 1;
      });
      await work.catch((error: unknown) => {
        throw namingFields(error);
      });
    });
}

export function erasuresCommand(): Command {
  return new Command('erasures')
    .description('List the last erasures of a tenant, with their progress.')
    .requiredOption('--tenant <id>', 'tenant to list', parseTenant)
    .option('--json', 'print the list as JSON')
    .action(async ({ tenant, json }: { tenant: TenantId; json?: boolean }) => {
      const { items } = await withErasures(tenant, (erasures, requester) =>
        erasures.list(requester, { page: 1, size: listedMax }),
      );
      if (json === true) printJson({ erasures: await Promise.all(items.map(toJson)) });
      else
        printText(
          toTable(
            ['ERASURE', 'STATUS', 'COUNTED', 'HELD', 'REMOVED', 'CREATED'],
            items.map((one) => [
              one.id,
              one.status,
              String(one.counted),
              String(one.held),
              String(one.removed),
              one.createdAt.toISOString(),
            ]),
          ),
        );
    });
}

/** Opens the vault with the rights of the operator. */
export async function withErasures<T>(
  tenantId: TenantId,
  work: (erasures: ErasureService, requester: Parameters<ErasureService['get']>[0], core: VaultCore) => Promise<T>,
): Promise<T> {
  const { ErasureService } = await import('../../features/retention/index.ts');
  const { operatorGrants } = await import('../../features/members/index.ts');
  return withVault((core) =>
    work(new ErasureService(core), { tenantId, actor: 'system', grants: operatorGrants }, core),
  );
}

async function toSelectionOf({ container, type, metadata }: EraseFlags) {
  const { toSelection } = await import('../../features/retention/index.ts');
  return toSelection({ container: container ?? null, type: type ?? null, metadata });
}

async function toJson(erasure: ShownErasure): Promise<object> {
  const { toErasureView } = await import('../../features/retention/index.ts');
  return toErasureView(erasure);
}

async function waitUntilOver(look: () => Promise<ShownErasure>, isText: boolean): Promise<ShownErasure> {
  const { isOver } = await import('../../features/retention/index.ts');
  const progress = new Progress('Erasing', isText);
  for (;;) {
    const shown = await look();
    progress.update(shown.removed, shown.counted);
    if (isOver(shown)) {
      progress.end();
      return shown;
    }
    await pauseFor(lookAgainMs);
  }
}

function describe(
  { id, status, counted: tokens, held, removed, isLimited, reason }: ShownErasure,
  tenant: string,
): string {
  const heldText = held === 0 ? '' : ` A legal hold keeps ${counted(held, 'more token')}.`;
  const limited = isLimited ? ' There may be others that the requester may not delete.' : '';
  switch (status) {
    case 'counted':
      return [
        `${counted(tokens, 'token')} would be removed for good.${heldText}${limited}`,
        'To remove them, confirm the number within a day:',
        `  strongroom tokens erase --tenant ${tenant} --erasure ${id} --confirm ${tokens} --wait`,
      ].join('\n');
    case 'awaiting_approval':
      return `Erasure ${id} waits for two owners or admins to approve it at /portal/approvals.`;
    case 'finished':
      return [
        `${counted(removed, 'token')} removed.${heldText}`,
        `  strongroom tokens receipt write --tenant ${tenant} --erasure ${id} --output ${id}.receipt`,
      ].join('\n');
    case 'cancelled':
    case 'stopped':
      return `Erasure ${id} was ${status} after ${counted(removed, 'token')}${reason === null ? '.' : `: ${reason}.`}`;
    case 'queued':
    case 'running':
    case 'sealing':
      return `Erasure ${id} is under way: ${counted(removed, 'token')} of ${tokens} removed. \`strongroom tokens erasures\` shows the progress.`;
  }
}

/** Returns the error with what is wrong about each field, which only responses of the API list otherwise. */
function namingFields(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.fields === undefined) return error;
  const fields = Object.entries(error.fields).map(([field, messages]) => `${field} ${messages.join(', ')}`);
  return new Error(`${fields.join('; ')}.`);
}

function addPair(text: string, pairs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [key = '', ...rest] = text.split('=');
  if (key === '' || rest.length === 0) throw new InvalidArgumentError('It must be a pair such as customer=c-1042.');
  return { ...pairs, [key]: rest.join('=') };
}

function parseCount(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be the number of tokens that were counted.');
  return Number(text);
}
