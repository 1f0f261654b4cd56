import { group, optionalSetting } from './reading.ts';
import { urlWith } from './setting-parsers.ts';

const parsePostgresUrl = urlWith('postgres:', 'postgresql:');

/** The settings of commands that work with several cells. Servers and workers do not read them. */
export const moving = group({
  adminUrl: optionalSetting('STRONGROOM_ADMIN_DATABASE_URL', parsePostgresUrl, {
    expectation: 'the address of the same database for a superuser',
    example: 'postgresql://postgres:secret@db.internal:5432/strongroom',
    purpose: 'Only `tenants move` and `cells` use it, and only while they run.',
    otherwise: 'that of `STRONGROOM_DATABASE_OWNER_URL`',
  }),
  replicationUrl: optionalSetting('STRONGROOM_REPLICATION_URL', parsePostgresUrl, {
    expectation: 'the address at which the PostgreSQL of another cell reaches this database',
    example: 'postgresql://replicator:secret@db.eu1.internal:5432/strongroom?sslmode=verify-full',
    purpose:
      'While a tenant moves from here, the PostgreSQL of the other cell keeps it in `pg_subscription`, which only superusers read.',
    otherwise: 'that of `STRONGROOM_ADMIN_DATABASE_URL`',
  }),
});
