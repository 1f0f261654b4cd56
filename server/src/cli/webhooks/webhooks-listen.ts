import { Command, InvalidArgumentError } from 'commander';
import { parseContainer } from '../../core/access/container.ts';
import { type EventType, eventTypes } from '../../core/events/event-type.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { parseTenant, wholeNumberFrom } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { runUntilStopped } from '../terminal/until-stopped.ts';
import { withVault } from '../terminal/with-vault.ts';

interface ListenFlags {
  readonly tenant: TenantId;
  readonly port: number;
  readonly path: string;
  readonly events: readonly EventType[];
  readonly container?: readonly string[];
  readonly json?: boolean;
}

export function listenCommand(): Command {
  return new Command('listen')
    .description('Forward the events of a tenant to a port of this machine as they happen, for development.')
    .requiredOption('--tenant <id>', 'tenant of the events', parseTenant)
    .requiredOption('--port <port>', 'port of 127.0.0.1 to send them to', wholeNumberFrom(1, 65_535))
    .option('--path <path>', 'path to send them to', parsePath, '/')
    .option('--events <types>', 'types of events, separated by commas (default: all)', parseTypes, eventTypes)
    .option('--container <path...>', 'only events about tokens in these containers', addContainer)
    .option('--json', 'print the secret and each event as a line of JSON')
    .addHelpText(
      'after',
      `
Needs a worker that seals the log, but no webhook. Each event is sent once and nothing is stored. Requests are signed with a
secret that is made for this command and printed first. On a vault of \`strongroom dev\`, paste the settings that it prints.`,
    )
    .action((flags: ListenFlags) => withVault((core) => listen(core.database, flags)));
}

type Vault = Parameters<Parameters<typeof withVault>[0]>[0];

async function listen(database: Vault['database'], { tenant, port, path, events, container, json }: ListenFlags) {
  const { generateWebhookSecret } = await import('../../platform/keyring/webhooks/webhook-secret.ts');
  const { EventForwarder } = await import('../../features/webhooks/index.ts');
  const secret = generateWebhookSecret();
  const start = () =>
    EventForwarder.start({
      database,
      tenantId: tenant,
      filter: { events, containers: container ?? null },
      target: { port, path },
      secret,
      portalUrl: undefined,
      onForwarded: (event, outcome) => {
        if (json === true) printJson({ event_id: event.id, type: event.type, outcome });
        else printText(`${event.timestamp}  ${event.type.padEnd(27)} ${event.id}  ${outcome}`);
      },
      onUnreadable: (reason) => {
        if (json === true) printJson({ error: reason });
        else printText(`The log cannot be read (${reason}). Trying again.`);
      },
    });
  await runUntilStopped(start, () => {
    const target = `http://127.0.0.1:${port}${path}`;
    if (json === true) printJson({ forwarding_to: target, signing_secret: secret.reveal() });
    else printText(`Forwarding events to ${target}, signed with ${secret.reveal()}`);
  });
}

function parsePath(text: string): string {
  if (!/^\/[\x21-\x7E]{0,1000}$/.test(text)) throw new InvalidArgumentError('It must begin with a slash.');
  return text;
}

function parseTypes(text: string): readonly EventType[] {
  const chosen = text.split(',').map((type) => eventTypes.find((known) => known === type.trim()));
  if (chosen.includes(undefined)) throw new InvalidArgumentError(`Types are ${eventTypes.join(', ')}.`);
  return chosen.filter((type) => type !== undefined);
}

function addContainer(text: string, before: readonly string[] | undefined): readonly string[] {
  const container = parseContainer(text);
  if (container === undefined) throw new InvalidArgumentError('It must start and end with a slash.');
  return [...(before ?? []), container];
}
