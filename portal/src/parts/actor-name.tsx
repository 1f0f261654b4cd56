import { Link } from '@tanstack/react-router';
import { useMember } from '../api/me';
import { useNames } from '../api/names';
import { CopiedId } from './copied-id';

/** Shows the name of an application, the e-mail address of a member, or the id of any other actor. */
export function ActorName({ id, type }: { readonly id: string | undefined; readonly type?: string | undefined }) {
  const { user } = useMember();
  const known = useNames().get(id ?? '');
  if (id === undefined) return <>{type === 'system' ? 'the vault itself' : (type ?? '-')}</>;
  if (id === user.id) return <>you</>;
  if (known?.kind === 'application') {
    return (
      <Link to="/applications/$applicationId" params={{ applicationId: id }}>
        {known.name}
      </Link>
    );
  }
  if (known !== undefined) return <>{known.name}</>;
  return (
    <span className="actor-id">
      {type === undefined ? '' : `${type} `}
      <CopiedId id={id} />
    </span>
  );
}
