import type { Application } from '../../api/applications';
import { transformWords } from '../../parts/access/words';
import { CopiedId } from '../../parts/controls/copied-id';
import { ActorName } from '../../parts/show/actor-name';
import { Fact, Facts } from '../../parts/show/fact';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';

export function ApplicationFacts({ application }: { readonly application: Application }) {
  const { id, expires_at: expiresAt, created_at: createdAt, created_by: createdBy } = application;
  const { modified_at: modifiedAt, modified_by: modifiedBy } = application;
  return (
    <Facts>
      <Fact name="Id">
        <CopiedId id={id} isWhole />
      </Fact>
      <Fact name="Created">
        <Change at={createdAt} by={createdBy} />
      </Fact>
      {modifiedAt === undefined ? null : (
        <Fact name="Changed">
          <Change at={modifiedAt} by={modifiedBy} />
        </Fact>
      )}
      <Fact name="Expires">{expiresAt === undefined ? 'never' : <Expiry at={expiresAt} />}</Fact>
      {application.type === 'private' ? (
        <Fact name="Destinations">
          <Destinations hosts={application.allowed_destinations} />
        </Fact>
      ) : null}
      {application.type === 'public' ? (
        <Fact name="Origins">
          <Origins origins={application.allowed_origins} />
        </Fact>
      ) : null}
      {application.type === 'management' ? (
        <Fact name="Grant limit">
          <GrantLimit application={application} />
        </Fact>
      ) : null}
    </Facts>
  );
}

function Change({ at, by }: { readonly at: string; readonly by: string | undefined }) {
  return (
    <>
      <Time at={at} form="exact" />
      {by === undefined ? null : (
        <>
          {' '}
          by <ActorName id={by} />
        </>
      )}
    </>
  );
}

function Expiry({ at }: { readonly at: string }) {
  return (
    <>
      <Time at={at} form="exact" />{' '}
      {Date.parse(at) < Date.now() ? <Tag tone="bad">expired: its keys are refused</Tag> : null}
    </>
  );
}

function Destinations({ hosts }: { readonly hosts: readonly string[] | undefined }) {
  if (hosts === undefined) return 'any public host';
  if (hosts.length === 0) return 'none: the proxy calls nothing for it';
  return <code>{hosts.join(', ')}</code>;
}

function Origins({ origins }: { readonly origins: readonly string[] | undefined }) {
  if (origins === undefined)
    return 'any: pages of every site can use its keys, but card fields open only on pages of listed origins';
  if (origins.length === 0) return 'none: no page can use its keys';
  return <code>{origins.join(', ')}</code>;
}

function GrantLimit({ application: { grant_limit: limit } }: { readonly application: Application }) {
  if (limit === undefined) return 'none: what it can grant is bounded only by its permissions';
  return (
    <>
      <code>{limit.permissions.join(', ')}</code> in <code>{limit.containers.join(', ')}</code>, showing at most{' '}
      {transformWords[limit.transform].toLowerCase()}
    </>
  );
}
