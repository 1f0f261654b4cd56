import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Application } from '../../../api/applications';
import { Button, buttonClass } from '../../../parts/controls/button';
import { CopiedId } from '../../../parts/controls/copied-id';
import { Card, CardBody } from '../../../parts/page/card';
import { Failure } from '../../../parts/page/states';
import { Fact, Facts } from '../../../parts/show/fact';
import { Tag } from '../../../parts/show/tag';
import { Time } from '../../../parts/show/time';
import { createKey, type UsedKey } from './key-calls';
import { LastUsed } from './last-used';
import { NewSecret } from './new-secret';
import { RevokeKey } from './revoke-key';

/** Milliseconds. A key that was used this recently is considered still in use. */
const recentMax = 3_600_000;

/** Replaces a key without downtime: create a second key, deploy it, then revoke the first. */
export function KeyRotation(rotation: {
  readonly application: Application;
  readonly old: UsedKey;
  /** The keys of the application, newest first. */
  readonly keys: readonly UsedKey[];
  readonly onChange: () => Promise<void>;
  /** Called after the old key has been revoked. */
  readonly onEnd: () => Promise<void>;
}) {
  const { application, old, keys, onChange, onEnd } = rotation;
  const [isRevoking, setRevoking] = useState(false);
  const create = useMutation({ mutationFn: () => createKey(application.id), onSuccess: onChange });
  const successor = create.data ?? keys.find(({ created_at: at }) => at > old.created_at);
  return (
    <section aria-label="Rotation">
      <Card
        title={
          <>
            Replace the key created on <Time at={old.created_at} form="day" />
          </>
        }
        actions={
          <Link
            to="/applications/$applicationId"
            params={{ applicationId: application.id }}
            search={{ tab: 'keys' }}
            resetScroll={false}
            className={buttonClass({ kind: 'ghost', isSmall: true })}
          >
            Stop here
          </Link>
        }
      >
        <CardBody>
          <ol className="steps">
            <Step title="Create a second key" isDone={successor !== undefined}>
              {create.data?.key === undefined ? null : <NewSecret secret={create.data.key} />}
              {create.error === null ? null : <Failure error={create.error} />}
              {create.data !== undefined ? null : (
                <>
                  {successor === undefined ? (
                    <p>Both keys work until you revoke the old one.</p>
                  ) : (
                    <p>
                      There is a newer key already: <CopiedId id={successor.id} />, created{' '}
                      <Time at={successor.created_at} form="ago" />. If you do not have its secret, create another one.
                    </p>
                  )}
                  <div>
                    <Button
                      kind={successor === undefined ? 'main' : 'usual'}
                      disabled={create.isPending}
                      onClick={() => create.mutate()}
                    >
                      {successor === undefined ? 'Create the second key' : 'Create another key'}
                    </Button>
                  </div>
                </>
              )}
            </Step>
            <Step title="Put it into your application" isDone={false}>
              <p>
                Deploy <strong>{application.name}</strong> with the new key in its <code>BT-API-KEY</code> header, then
                wait until the old one is no longer used.
              </p>
              <UseOfOld old={old} successor={successor} />
            </Step>
            <Step title="Revoke the old key" isDone={false}>
              <div>
                <Button kind="warns" disabled={successor === undefined} onClick={() => setRevoking(true)}>
                  Revoke the old key
                </Button>
              </div>
              {successor === undefined ? <p className="note">Possible once there is a second key.</p> : null}
            </Step>
          </ol>
        </CardBody>
      </Card>
      {isRevoking ? (
        <RevokeKey applicationId={application.id} revoked={old} onRevoked={onEnd} onClose={() => setRevoking(false)} />
      ) : null}
    </section>
  );
}

function Step({
  title,
  isDone,
  children,
}: {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}) {
  return (
    <li className={isDone ? 'done' : undefined}>
      <div className="stack-small">
        <h3>
          {title} {isDone ? <Tag tone="good">done</Tag> : null}
        </h3>
        {children}
      </div>
    </li>
  );
}

function UseOfOld({ old, successor }: { readonly old: UsedKey; readonly successor: UsedKey | undefined }) {
  const isInUse = typeof old.last_used_at === 'string' && Date.now() - Date.parse(old.last_used_at) < recentMax;
  return (
    <Facts>
      <Fact name="Old key last used">
        <LastUsed used={old} /> {isInUse ? <Tag>still in use</Tag> : null}
      </Fact>
      {successor === undefined ? null : (
        <Fact name="New key last used">
          <LastUsed used={successor} />
        </Fact>
      )}
    </Facts>
  );
}
