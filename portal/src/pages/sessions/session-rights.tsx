import type { Session } from '../../api/sessions';
import { shortenPermissions } from '../../parts/access/words';
import { Sight, toSight } from '../../parts/show/sight';

type Rule = Session['rules'][number];

/** Any further rules are only counted, because a session can have a hundred. */
const listedMax = 3;

/** Shows the rights of a session. They never exceed those of the actor that authorized it. */
export function SessionRights({ session: { permissions, rules } }: { readonly session: Session }) {
  if (permissions.length === 0 && rules.length === 0) return <span className="muted">nothing yet</span>;
  const ordered = rules.toSorted((a, b) => a.priority - b.priority);
  return (
    <ul className="session-rights">
      {ordered.slice(0, listedMax).map((rule) => (
        <li key={rule.priority}>
          <Sight of={toSight(rule.transform)} /> {shortenPermissions(rule.permissions)} <Place rule={rule} />
        </li>
      ))}
      {ordered.length > listedMax ? <li className="note">and {ordered.length - listedMax} more rules</li> : null}
      {permissions.length === 0 ? null : <li>{shortenPermissions(permissions)} on all containers, masked</li>}
    </ul>
  );
}

function Place({ rule: { container, conditions = [] } }: { readonly rule: Rule }) {
  if (container !== undefined)
    return (
      <>
        in <code>{container}</code>
      </>
    );
  return (
    <>
      where{' '}
      {conditions.map(({ attribute, operator, value }, index) => (
        <span key={`${attribute} ${operator} ${value}`}>
          {index === 0 ? '' : ' and '}
          {attribute} {operator === 'equals' ? 'is' : 'starts with'} <code>{value}</code>
        </span>
      ))}
    </>
  );
}
