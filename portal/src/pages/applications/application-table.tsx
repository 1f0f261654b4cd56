import { Link } from '@tanstack/react-router';
import type { Application } from '../../api/applications';
import { shortenPermissions } from '../../parts/access/words';
import { ApprovalTag } from '../../parts/approval';
import { type Column, DataTable } from '../../parts/data-table';
import { countOf } from '../../parts/number';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { typeNames } from './application-types';

/** Longer lists are replaced with a count. */
const listedMax = 6;

const columns: readonly Column<Application>[] = [
  {
    header: 'Name',
    cell: (application) => (
      <>
        <Link to="/applications/$applicationId" params={{ applicationId: application.id }} className="row-name">
          {application.name}
        </Link>
        <ApprovalTag of={application} />
      </>
    ),
  },
  { header: 'Type', cell: ({ type }) => typeNames[type] },
  { header: 'Permissions', isWide: true, cell: ({ permissions }) => <Permissions of={permissions} /> },
  { header: 'Rules', isNumber: true, cell: ({ rules }) => rules.length },
  { header: 'Keys', isNumber: true, cell: ({ keys }) => keys.length },
  { header: 'Oldest key', cell: OldestKey },
  { header: 'Expires', cell: Expiry },
  { header: 'Created', cell: ({ created_at: at }) => <Time at={at} form="day" /> },
];

export function ApplicationTable({ applications }: { readonly applications: readonly Application[] }) {
  return <DataTable caption="Applications" columns={columns} rows={applications} keyOf={({ id }) => id} />;
}

function Permissions({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return <span className="note">by rules only</span>;
  return of.length > listedMax ? countOf(of.length, 'permission') : shortenPermissions(of);
}

function OldestKey({ keys }: Application) {
  const oldest = keys.map(({ created_at: at }) => at).toSorted()[0];
  return oldest === undefined ? <span className="note">no key</span> : <Time at={oldest} form="ago" />;
}

function Expiry({ expires_at: at }: Application) {
  if (at === undefined) return <span className="note">never</span>;
  return Date.parse(at) < Date.now() ? <Tag tone="bad">expired</Tag> : <Time at={at} form="day" />;
}
