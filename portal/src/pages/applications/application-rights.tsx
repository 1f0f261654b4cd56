import type { Application } from '../../api/applications';
import type { Schemas } from '../../api/client';
import { toRights } from '../../parts/access/rights';
import { transformTones, transformWords } from '../../parts/access/words';
import { type Column, DataTable } from '../../parts/data-table';
import { Empty } from '../../parts/states';
import { Tag } from '../../parts/tag';

type Rule = Schemas['AccessRuleRequest'];

const columns: readonly Column<Rule>[] = [
  { header: 'Priority', isNumber: true, cell: ({ priority }) => priority },
  { header: 'Container', cell: ({ container }) => <code>{container}</code> },
  {
    header: 'Shows',
    cell: ({ transform }) => <Tag tone={transformTones[transform]}>{transformWords[transform]}</Tag>,
  },
  {
    header: 'Permits',
    cell: ({ permissions }) => (
      <span className="names">
        {permissions.map((name) => (
          <code key={name} className="solid">
            {name}
          </code>
        ))}
      </span>
    ),
  },
  { header: 'What it is for', isWide: true, cell: ({ description }) => description ?? '' },
];

/** Shows permissions, and rules in evaluation order. */
export function ApplicationRights({ application }: { readonly application: Application }) {
  const { permissions, rules } = toRights(application);
  if (permissions.length === 0 && rules.length === 0) {
    return (
      <Empty title="It may do nothing by itself.">
        <p>Sessions that are opened with its key get rights of their own.</p>
      </Empty>
    );
  }
  return (
    <>
      {rules.length === 0 ? null : (
        <DataTable
          caption="Rules, in the order in which they are checked"
          columns={columns}
          rows={rules}
          keyOf={({ priority }) => String(priority)}
        />
      )}
      <PlainPermissions permissions={permissions} hasRules={rules.length > 0} type={application.type} />
    </>
  );
}

function PlainPermissions(plain: {
  readonly permissions: readonly string[];
  readonly hasRules: boolean;
  readonly type: Application['type'];
}) {
  const { permissions, hasRules, type } = plain;
  if (permissions.length === 0)
    return <p className="note after-table">No permissions besides: what no rule covers is denied.</p>;
  const place = type === 'management' ? 'In the whole tenant' : 'On all containers, showing masked data';
  return (
    <p className={hasRules ? 'after-table' : undefined}>
      {hasRules ? `${place}, where no rule decides: ` : `${place}: `}
      <span className="names">
        {permissions.map((name) => (
          <code key={name} className="solid">
            {name}
          </code>
        ))}
      </span>
    </p>
  );
}
