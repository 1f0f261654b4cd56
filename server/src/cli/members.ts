import { Command, Option } from 'commander';
import type { VaultCore } from '../app/wiring/vault-core.ts';
import type { EmailAddress } from '../core/identity/email-address.ts';
import type { TenantId } from '../core/identity/ids.ts';
import type { InvitationService } from '../features/invitations/index.ts';
import { processEnvironment, readLinkConfig } from '../platform/config/config.ts';
import { parseEmail, parseTenant, parseUuid } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';

interface InviteFlags {
  readonly tenant: TenantId;
  readonly email: EmailAddress;
  readonly role: 'ADMIN' | 'READ_ONLY';
  readonly json?: boolean;
}

interface LinkFlags {
  readonly tenant: TenantId;
  readonly invitation: string;
  readonly json?: boolean;
}

interface SignInLinkFlags {
  readonly tenant: TenantId;
  readonly member?: string;
  readonly removeWays?: boolean;
  readonly json?: boolean;
}

export function membersCommand(): Command {
  return new Command('members')
    .description('Invite members and print their invitation and sign-in links, with or without a mail server.')
    .addCommand(inviteCommand())
    .addCommand(invitationLinkCommand())
    .addCommand(signInLinkCommand());
}

function inviteCommand(): Command {
  return new Command('invite')
    .description('Invite someone to a tenant and print the link.')
    .requiredOption('--tenant <id>', 'tenant to invite to', parseTenant)
    .requiredOption('--email <address>', 'e-mail address to invite', parseEmail)
    .addOption(new Option('--role <role>', 'role of the member').choices(['ADMIN', 'READ_ONLY']).default('ADMIN'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The link is valid for 72 hours, works once and adds one member. Send it through a channel that you trust.
If a worker has a mail server (STRONGROOM_SMTP_URL), it also sends the link by e-mail.`,
    )
    .action(async ({ tenant, email, role, json }: InviteFlags) => {
      const { id, link } = await withInvitations(async (invitations) => {
        const { id } = await invitations.create(tenant, 'system', { email, role });
        return { id, link: await invitations.showLink(tenant, id) };
      });
      if (json === true) printJson({ id, link });
      else printText(`Invitation ${id} is ready. Its link, valid for 72 hours:\n\n  ${link}\n`);
    });
}

function invitationLinkCommand(): Command {
  return new Command('invitation-link')
    .description('Print the link of an invitation that has not been sent by e-mail.')
    .requiredOption('--tenant <id>', 'tenant that the invitation belongs to', parseTenant)
    .requiredOption('--invitation <id>', 'id of the invitation', parseUuid)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Once a link has been sent by e-mail, it is stored only as a hash. Resend the invitation to get a new one.`,
    )
    .action(async ({ tenant, invitation, json }: LinkFlags) => {
      const link = await withInvitations((invitations) => invitations.showLink(tenant, invitation));
      if (link === undefined) {
        throw new Error(
          'The link was sent by e-mail and can no longer be shown. Resend the invitation to get a new one.',
        );
      }
      if (json === true) printJson({ id: invitation, link });
      else printText(`The link of invitation ${invitation}:\n\n  ${link}\n`);
    });
}

function signInLinkCommand(): Command {
  return new Command('sign-in-link')
    .description('Print a link that signs in the owner, or another member, without any other credentials.')
    .requiredOption('--tenant <id>', 'tenant that the member belongs to', parseTenant)
    .option('--member <id>', 'id of the member; the owner by default', parseUuid)
    .option('--remove-ways', 'remove the passkeys, password and provider of the member, who has lost them')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The link works once, within an hour, and replaces any earlier one. The owner of a new tenant uses it to sign in for the
first time, and so do users who have lost every other way to sign in. Creating a link is recorded in the audit log.

In every tenant, a link sets up a way to sign in only for somebody who has none. In production tenants, it does nothing
else. For a member who has lost theirs, --remove-ways removes what they had and signs them out everywhere. Confirm through
another channel who asks for it.`,
    )
    .action(async ({ tenant, member, removeWays, json }: SignInLinkFlags) => {
      const link = await withCore(async ({ database, systemKeys }, publicUrl) => {
        const { SignInLinks } = await import('../features/portal/index.ts');
        const links = new SignInLinks({ database, systemKeys });
        return `${publicUrl}${await links.make(tenant, member, { removesWays: removeWays === true })}`;
      });
      if (json === true) printJson({ link });
      else printText(`The link, which works once within the next hour:\n\n  ${link}\n`);
    });
}

function withInvitations<T>(work: (invitations: InvitationService) => Promise<T>): Promise<T> {
  return withCore(async ({ database, audit, systemKeys }, publicUrl) => {
    const invitations = await import('../features/invitations/index.ts');
    const links = new invitations.InvitationLinks({ systemKeys, publicUrl });
    return work(new invitations.InvitationService({ database, audit, links }));
  });
}

async function withCore<T>(work: (core: VaultCore, publicUrl: string) => Promise<T>): Promise<T> {
  const config = readLinkConfig(processEnvironment());
  const { VaultCore } = await import('../app/wiring/vault-core.ts');
  const core = await VaultCore.open(config);
  try {
    return await work(core, config.publicUrl);
  } finally {
    await core.close();
  }
}
