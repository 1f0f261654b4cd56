import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let tenant: string;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
  };
  const made = await Program.run(
    ['bootstrap', '--name', 'Acme', '--owner-email', 'owner@example.com', '--json'],
    settings,
  );
  tenant = (JSON.parse(made.stdout) as { tenant_id: string }).tenant_id;
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

const run = (...command: string[]) => Program.run(['members', ...command], settings);
const link = /https:\/\/vault\.example\.com\/portal\/invitations\/[1-9A-HJ-NP-Za-km-z]{44}/;

describe('strongroom members', () => {
  it('invites without a mail server and shows the link, again and again until it is used', async () => {
    const invited = await run('invite', '--tenant', tenant, '--email', 'new@example.com', '--json');
    expect({ code: invited.code, stderr: invited.stderr }).toEqual({ code: 0, stderr: '' });
    const made = JSON.parse(invited.stdout) as { id: string; link: string };
    expect(made.link).toMatch(link);
    const shown = await run('invitation-link', '--tenant', tenant, '--invitation', made.id);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(made.link);
    const { rows } = await database.owner.query<{ operation: string; actor_type: string }>(
      'select operation, actor_type from audit_records where entity_id = $1 order by created_at',
      [made.id],
    );
    expect(rows.map(({ operation, actor_type }) => `${actor_type} ${operation}`)).toEqual([
      'system create',
      'system issue_link',
      'system issue_link',
    ]);
  });

  it('cannot show a link that a mail has carried away, and says what to do', async () => {
    const invited = await run('invite', '--tenant', tenant, '--email', 'mailed@example.com', '--json');
    const { id } = JSON.parse(invited.stdout) as { id: string };
    await database.owner.query('update invitations set link_sealed = null where id = $1', [id]);
    const shown = await run('invitation-link', '--tenant', tenant, '--invitation', id);
    expect({ code: shown.code, stdout: shown.stdout }).toEqual({ code: 1, stdout: '' });
    expect(shown.stderr).toContain('Resend the invitation');
  });

  it('makes a link for the owner, and for another member, and tells the tenant', async () => {
    const signIn = /^https:\/\/vault\.example\.com\/portal\/links\/[1-9A-HJ-NP-Za-km-z]{44}$/;
    const made = await run('sign-in-link', '--tenant', tenant, '--json');
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(made.stdout) as { link: string }).link).toMatch(signIn);
    const { rows } = await database.owner.query<{ id: string; email: string; links: number }>(
      `select m.id, u.email, (select count(*)::integer from user_links l where l.user_id = u.id) as links
        from members m join users u on u.id = m.user_id where m.tenant_id = $1`,
      [tenant],
    );
    expect(rows).toMatchObject([{ email: 'owner@example.com', links: 1 }]);
    const again = await run('sign-in-link', '--tenant', tenant, '--member', rows[0]?.id ?? '');
    expect(again.stdout).toMatch(/\n {2}https:\/\/vault\.example\.com\/portal\/links\/\S{44}\n/);
    const { rows: records } = await database.owner.query(
      'select operation, actor_type from audit_records where entity_id = $1',
      [rows[0]?.id],
    );
    expect(records).toEqual([1, 2].map(() => ({ operation: 'issue_link', actor_type: 'system' })));
  });

  it('removes the ways of a member who has lost them only when told to, and tells the tenant', async () => {
    const { rows } = await database.owner.query<{ id: string; user_id: string }>(
      'select id, user_id from members where tenant_id = $1',
      [tenant],
    );
    const [owner = { id: '', user_id: '' }] = rows;
    await database.owner.query(
      `insert into user_identities (user_id, issuer, subject) values ($1, 'https://id.example', 'owner')`,
      [owner.user_id],
    );
    const countWays = async () => (await database.owner.query('select from user_identities')).rows.length;
    expect((await run('sign-in-link', '--tenant', tenant)).code).toBe(0);
    expect(await countWays()).toBe(1);
    const made = await run('sign-in-link', '--tenant', tenant, '--remove-ways', '--json');
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    expect(await countWays()).toBe(0);
    const { rows: records } = await database.owner.query<{ operation: string }>(
      `select operation from audit_records where entity_id = $1 and actor_type = 'system' order by created_at`,
      [owner.id],
    );
    expect(records.map(({ operation }) => operation).filter((one) => one === 'change_sign_in')).toHaveLength(1);
  });

  it.each([
    [['sign-in-link', '--tenant', crypto.randomUUID()], 'There is no such member.'],
    [['invite', '--tenant', 'x', '--email', 'a@example.com'], 'It must be a UUID.'],
    [['invite', '--tenant', crypto.randomUUID(), '--email', 'a@example.com'], 'There is no such tenant.'],
    [['invite', '--tenant', crypto.randomUUID(), '--email', 'a b@c'], 'It must be an e-mail address'],
    [['invitation-link', '--tenant', crypto.randomUUID(), '--invitation', crypto.randomUUID()], 'no such invitation'],
  ])('%j fails with a reason', async (command, reason) => {
    const { code, stdout, stderr } = await run(...command);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('asks for the public address, which the link needs', async () => {
    const { code, stderr } = await Program.run(['members', 'invite', '--tenant', tenant, '--email', 'b@example.com'], {
      ...settings,
      STRONGROOM_PUBLIC_URL: '',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('STRONGROOM_PUBLIC_URL is not set');
  });
});
