import type { MyTenant } from '../../api/me';
import { Page } from '../../parts/page/page';

/** Replaces every page of the tenant until the user has signed in as the tenant demands. */
export function WayRequired({ tenant: { name, needs_provider: needsProvider } }: { readonly tenant: MyTenant }) {
  if (needsProvider) {
    return (
      <Page
        title="Sign in with your OpenID provider"
        lead={`${name} accepts only members who sign in with it. If it is not connected to you yet, connect it in your account first.`}
      >
        <div className="actions">
          <form method="post" action="/portal/sign-out">
            <input type="hidden" name="next" value={location.pathname + location.search} />
            <button className="button main">Sign in again</button>
          </form>
          <a className="button" href="/portal/account">
            Your account
          </a>
        </div>
      </Page>
    );
  }
  return (
    <Page
      title="Set up a way to sign in"
      lead={`How you have signed in is not enough for ${name}. It takes a passkey, your OpenID provider, or an authenticator app with a password that has letters and digits.`}
    >
      <p>
        <a className="button main" href="/portal/account">
          Continue to your account
        </a>
      </p>
    </Page>
  );
}
