import { useMutation } from '@tanstack/react-query';
import { CreditCard, Eye, SearchX } from 'lucide-react';
import { useState } from 'react';
import { Problem } from '../../api/problem';
import { Button } from '../../parts/controls/button';
import { CopyBlock } from '../../parts/controls/copy-block';
import { Icon } from '../../parts/icon';
import { Confirmation } from '../../parts/overlay/confirmation';
import { Drawer } from '../../parts/overlay/drawer';
import { useToast } from '../../parts/overlay/toast';
import { Card, CardBody } from '../../parts/page/card';
import { Loading } from '../../parts/page/loading';
import { Empty, Failure, NotForRole } from '../../parts/page/states';

const problem = new Problem(400, {
  type: '/docs/errors/validation-failed',
  detail: 'The request did not pass validation.',
  trace_id: '0b9c41f2',
  errors: { query: ['a condition is missing after AND'] },
});

/** Shows what a page says when there is nothing, not yet anything, or something went wrong. */
export function KitStates() {
  return (
    <>
      <div className="columns">
        <Card title="Nothing yet">
          <Empty icon={CreditCard} title="No tokens yet">
            <p>Store a card with a key of one of your applications.</p>
            <CopyBlock label="A command" text="curl https://vault.example/tokens" />
          </Empty>
        </Card>
        <Card title="Nothing found">
          <Empty icon={SearchX} title="No card ends in 9921" actions={<Button>Search metadata for 9921</Button>}>
            <p>Cards stored before 3 March have no index of their last four digits.</p>
          </Empty>
        </Card>
        <Card title="Not for this role">
          <NotForRole what="jobs" roles="owners and admins" />
        </Card>
        <Card title="Not yet">
          <Loading what="the kit" />
        </Card>
      </div>
      <Card title="Something went wrong, or matters">
        <CardBody>
          <Failure error={problem} retry={() => undefined} />
          <p className="banner">A banner says something before one goes on.</p>
          <p className="banner plain">
            <Icon of={Eye} />
            An amber one is about plaintext.
          </p>
          <p className="banner good">A green one says that something is in order.</p>
        </CardBody>
      </Card>
      <Overlays />
    </>
  );
}

function Overlays() {
  const toast = useToast();
  const [open, setOpen] = useState<'confirmation' | 'drawer'>();
  const work = useMutation({ mutationFn: async () => Promise.reject(problem) });
  return (
    <Card title="Above the page">
      <CardBody>
        <div className="actions">
          <Button
            onClick={() =>
              toast({ text: 'Rule 1 of Support desk saved', action: { label: 'Undo', onPress: () => undefined } })
            }
          >
            Toast
          </Button>
          <Button onClick={() => toast({ text: 'No mail server is set up. Nothing was sent.', tone: 'bad' })}>
            Bad toast
          </Button>
          <Button kind="warns" onClick={() => setOpen('confirmation')}>
            Confirmation
          </Button>
          <Button onClick={() => setOpen('drawer')}>Drawer</Button>
        </div>
      </CardBody>
      {open === 'confirmation' ? (
        <Confirmation
          title="Delete Support desk?"
          action="Delete the application"
          typedName="Support desk"
          work={work}
          onClose={() => setOpen(undefined)}
        >
          <p>Its 2 keys stop working at once. Records about it stay.</p>
        </Confirmation>
      ) : null}
      {open === 'drawer' ? (
        <Drawer title="Record" onClose={() => setOpen(undefined)}>
          <section>
            <p className="headline">Fraud review read a card</p>
          </section>
        </Drawer>
      ) : null}
    </Card>
  );
}
