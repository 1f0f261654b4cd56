import { Link } from '@tanstack/react-router';

/** Says why a filter was not used: what is typed there becomes part of the address, which browsers remember. */
export function CardNumberRefused() {
  return (
    <p className="field-error" role="alert">
      This looks like a card number, and what is searched here becomes part of the address. Search for it under{' '}
      <Link to="/tokens">Tokens</Link>.
    </p>
  );
}
