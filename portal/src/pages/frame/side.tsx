import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMember } from '../../api/me';
import { chooseTenant } from '../../api/tenant';
import { roleNames } from '../../parts/role-names';
import { applyTheme, currentTheme, themes } from '../../parts/theme';
import { places } from './places';

/** Shows the navigation. On a small screen it is collapsed until the user opens it. */
export function Side() {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setOpen(false), [path]);
  return (
    <header className={isOpen ? 'side open' : 'side'}>
      <div className="side-head">
        <Link to="/" className="side-brand">
          Strongroom
        </Link>
        <button type="button" className="side-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
      </div>
      <TenantSwitch />
      <nav aria-label="Main">
        {places.map(({ group, items }) => (
          <div key={group}>
            <p className="side-group">{group}</p>
            <ul>
              {items.map(({ label, to }) => (
                <li key={label}>
                  <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                    {label}
                  </Link>
                </li>
              ))}
              {group === 'Operations' ? (
                <>
                  <li>
                    <a href="/portal/approvals">Approvals</a>
                  </li>
                  <li>
                    <a href="/portal/exports">Exports</a>
                  </li>
                </>
              ) : null}
            </ul>
          </div>
        ))}
      </nav>
      <Foot />
    </header>
  );
}

function TenantSwitch() {
  const { tenants, tenant } = useMember();
  const queries = useQueryClient();
  const role = <p className="note">{roleNames[tenant.role]}</p>;
  if (tenants.length === 1) {
    return (
      <div className="side-tenant">
        <span className="side-tenant-name">{tenant.name}</span>
        {role}
      </div>
    );
  }
  return (
    <div className="side-tenant">
      <select
        aria-label="Tenant"
        value={tenant.id}
        onChange={(event) => {
          chooseTenant(event.target.value);
          // Data of one tenant must not be shown in another.
          queries.clear();
          location.assign('/portal/');
        }}
      >
        {tenants.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {role}
    </div>
  );
}

function Foot() {
  const { user } = useMember();
  const [theme, setTheme] = useState(currentTheme);
  return (
    <div className="side-foot">
      <p>{user.email ?? 'You'}</p>
      <div className="side-foot-links">
        <a href="/portal/account">Account</a>
        <form method="post" action="/portal/sign-out">
          <button className="link">Sign out</button>
        </form>
      </div>
      <label className="note">
        Colours{' '}
        <select
          value={theme}
          onChange={(event) => {
            const chosen = themes.find((name) => name === event.target.value) ?? 'system';
            applyTheme(chosen);
            setTheme(chosen);
          }}
        >
          {themes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p className="note">
        <kbd>?</kbd> lists the keys
      </p>
    </div>
  );
}
