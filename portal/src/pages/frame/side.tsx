import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Menu as MenuIcon, Search, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { isOpen, useMember } from '../../api/me';
import { sealQuery } from '../../api/seal';
import { IconButton } from '../../parts/controls/button';
import { Icon } from '../../parts/icon';
import { Logo } from '../../parts/logo';
import { toAgo } from '../../parts/show/time';
import { showPalette } from './palette';
import { places } from './places';
import { TenantMenu } from './tenant-menu';
import { UserMenu } from './user-menu';

const sideId = 'side';

/** Shows the navigation. On a small screen it is a popover behind a bar at the top. */
export function Side() {
  const side = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { tenant } = useMember();
  useEffect(() => {
    if (side.current?.matches(':popover-open') === true) side.current.hidePopover();
  }, [path]);
  return (
    <>
      <header className="topbar">
        <Logo />
        <b>{tenant.name}</b>
        <IconButton icon={MenuIcon} label="Menu" popoverTarget={sideId} />
      </header>
      <aside className="side" id={sideId} popover="auto" ref={side} aria-label="Navigation">
        <TenantMenu />
        <button type="button" className="side-find" onClick={showPalette}>
          <Icon of={Search} />
          Find anything
          <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Main">
          {places.map(({ group, items, rendered = [] }) => (
            <div key={group}>
              <p className="side-group" id={`group-${group}`}>
                {group}
              </p>
              <ul aria-labelledby={`group-${group}`}>
                {items.map(({ label, to, icon }) => (
                  <li key={label}>
                    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                      <Icon of={icon} />
                      {label}
                    </Link>
                  </li>
                ))}
                {rendered.map(({ label, href, icon }) => (
                  <li key={label}>
                    <a href={href}>
                      <Icon of={icon} />
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div className="side-foot">
          <Sealed />
          <UserMenu />
        </div>
      </aside>
    </>
  );
}

/** Shows whether the log is sealed, which is what every proof rests on. */
function Sealed() {
  const { tenant } = useMember();
  const seal = useQuery({ ...sealQuery, enabled: isOpen(tenant), refetchInterval: 30_000 }).data;
  if (seal === undefined) return null;
  const { stop, checkpoint } = seal;
  const isBroken = stop !== undefined;
  const text = checkpoint === undefined ? 'not sealed yet' : `sealed ${toAgo(new Date(checkpoint.sealed_at))}`;
  return (
    <Link to="/encryption-keys" className={isBroken ? 'sealed bad' : 'sealed'}>
      <Icon of={isBroken ? ShieldAlert : ShieldCheck} />
      {isBroken ? 'Sealing of the log has stopped' : `Log ${text}`}
    </Link>
  );
}
