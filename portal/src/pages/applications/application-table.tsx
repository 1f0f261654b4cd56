import { Link } from '@tanstack/react-router';
import { Globe, type LucideIcon, Server, Wrench } from 'lucide-react';
import type { Application, ApplicationType } from '../../api/applications';
import { shortenPermissions } from '../../parts/access/words';
import { ApprovalTag } from '../../parts/page/approval';
import { type Column, TableCard } from '../../parts/show/data-table';
import { Glyph } from '../../parts/show/glyph';
import { countOf } from '../../parts/show/number';
import { Sight, toSight } from '../../parts/show/sight';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { mostSeen } from './application-sight';
import { typeNames } from './application-types';

/** Longer lists are replaced with a count. */
const listedMax = 4;

const icons: Readonly<Record<ApplicationType, LucideIcon>> = { private: Server, public: Globe, management: Wrench };

const columns: readonly Column<Application>[] = [
  {
    header: 'Name',
    cell: (application) => (
      <span className="main-cell">
        <Glyph of={icons[application.type]} />
        <Link to="/applications/$applicationId" params={{ applicationId: application.id }}>
          {application.name}
        </Link>
        <ApprovalTag of={application} />
      </span>
    ),
  },
  { header: 'Type', narrow: 'hidden', cell: ({ type }) => typeNames[type] },
  { header: 'Sees at most', narrow: 'end', cell: Seen },
  { header: 'May', isWide: true, narrow: 'below', cell: May },
  { header: 'Keys', isNumber: true, narrow: 'hidden', cell: ({ keys }) => keys.length },
  { header: 'Oldest key', narrow: 'below-end', cell: OldestKey },
  { header: 'Expires', narrow: 'hidden', cell: Expiry },
];

export function ApplicationTable({ applications }: { readonly applications: readonly Application[] }) {
  return <TableCard caption="Applications" columns={columns} rows={applications} keyOf={({ id }) => id} />;
}

function Seen(application: Application) {
  const seen = mostSeen(application);
  return seen === undefined ? <span className="muted">–</span> : <Sight of={toSight(seen)} />;
}

function May({ permissions, rules }: Application) {
  const plain =
    permissions.length === 0
      ? undefined
      : permissions.length > listedMax
        ? countOf(permissions.length, 'permission')
        : shortenPermissions(permissions);
  const words = [rules.length === 0 ? undefined : countOf(rules.length, 'rule'), plain];
  return words.filter((word) => word !== undefined).join(' · ') || <span className="muted">nothing by itself</span>;
}

function OldestKey({ keys }: Application) {
  const oldest = keys.map(({ created_at: at }) => at).toSorted()[0];
  return oldest === undefined ? <span className="muted">no key</span> : <Time at={oldest} form="ago" />;
}

function Expiry({ expires_at: at }: Application) {
  if (at === undefined) return <span className="muted">never</span>;
  return Date.parse(at) < Date.now() ? <Tag tone="bad">expired</Tag> : <Time at={at} form="day" />;
}
