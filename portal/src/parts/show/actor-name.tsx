import { Link } from '@tanstack/react-router';
import { useMember } from '../../api/me';
import { useNames } from '../../api/names';
import { CopiedId, shortenId } from '../controls/copied-id';

interface Actor {
  readonly id: string | undefined;
  readonly type?: string | undefined;
}

/** Shows the name of an application or a member with a link to their page, or the id of any other actor. */
export function ActorName({ id, type }: Actor) {
  const { user } = useMember();
  const known = useNames().get(id ?? '');
  if (id === undefined) return <ActorText id={id} type={type} />;
  if (known?.kind === 'application') {
    return (
      <Link to="/applications/$applicationId" params={{ applicationId: id }}>
        {known.name}
      </Link>
    );
  }
  if (known !== undefined || id === user.id) {
    return (
      <Link to="/members/$userId" params={{ userId: id }}>
        <ActorText id={id} type={type} />
      </Link>
    );
  }
  return (
    <span className="solid">
      {type === undefined ? '' : `${type} `}
      <CopiedId id={id} />
    </span>
  );
}

/** The same without links. */
export function ActorText({ id, type }: Actor) {
  const { user } = useMember();
  const known = useNames().get(id ?? '');
  if (id === undefined) return <>{type === 'system' ? 'The vault' : 'Somebody'}</>;
  if (id === user.id) return <>You</>;
  if (known !== undefined) return <>{known.name}</>;
  return <>{type === 'user' ? 'A former member' : type === 'session' ? `Session ${shortenId(id)}` : shortenId(id)}</>;
}
