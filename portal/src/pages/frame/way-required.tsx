import { Page } from '../../parts/page';

/** Replaces every page of the tenant until the user has set up a sign-in method. */
export function WayRequired({ tenant }: { readonly tenant: string }) {
  return (
    <Page
      title="Set up a way to sign in"
      lead={`How you have signed in is not enough for ${tenant}. It takes a passkey, your OpenID provider, or an authenticator app with a password that has letters and digits.`}
    >
      <p>
        <a className="button primary" href="/portal/account">
          Continue to your account
        </a>
      </p>
    </Page>
  );
}
