import { type Decision, sightKinds, toReason } from '../../parts/access/words';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Sight } from '../../parts/show/sight';
import { Tag } from '../../parts/show/tag';

const columns: readonly Column<Decision>[] = [
  { header: 'Permission', cell: ({ permission }) => <code className="solid">{permission}</code> },
  {
    header: 'Decision',
    cell: ({ is_allowed: isAllowed }) => (
      <Tag tone={isAllowed ? 'good' : 'bad'}>{isAllowed ? 'Allowed' : 'Denied'}</Tag>
    ),
  },
  {
    header: 'Would see',
    cell: ({ sees }) => (sees === undefined ? '–' : <Sight of={sightKinds[sees.data]} />),
  },
  { header: 'Why', isWide: true, cell: Why },
];

/** Shows the vault's decision for each permission. */
export function DecisionTable({ decisions }: { readonly decisions: readonly Decision[] }) {
  return <DataTable caption="Decisions" columns={columns} rows={decisions} keyOf={({ permission }) => permission} />;
}

function Why(decision: Decision) {
  const { is_allowed: isAllowed, reason, rule, authors_views: authorsViews } = decision;
  if (!isAllowed) return toReason(reason);
  return (
    <span>
      {rule === undefined ? 'A plain permission on all containers.' : <DecidingRule rule={rule} />}
      {authorsViews === true ? ' It can set the mask of stored data, which amounts to reading plaintext.' : null}
    </span>
  );
}

function DecidingRule({ rule }: { readonly rule: NonNullable<Decision['rule']> }) {
  const { priority, container, transform, description = '' } = rule;
  return (
    <>
      Rule {priority}
      {description === '' ? '' : ` “${description}”`}: <code>{transform}</code> in <code>{container}</code>.
    </>
  );
}
