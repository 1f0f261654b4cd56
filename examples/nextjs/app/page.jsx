import { connection } from 'next/server';
import { Checkout } from './checkout.jsx';

/** Rendered for each request, because the key and the address are settings of the server. */
export default async function Page() {
  await connection();
  const { SHOP_KEY, ELEMENTS_URL } = process.env;
  return <Checkout publicKey={SHOP_KEY} elementsUrl={ELEMENTS_URL} />;
}
