import { reactElements, webElements } from '../harness/published-package.ts';

/*
 * The members of the packages for elements. These packages only load a script that provides the members, so the lists
 * come from their types instead of their code.
 */
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const ofInstance = [
  'basistheory',
  'createElement',
  'tokens.create',
  'tokens.update',
  'tokens.retrieve',
  'tokens.encrypt',
  'tokenize',
  'sessions.create',
  'tokenIntents.create',
  ...methods.map((method) => `proxy.${method}`),
  ...methods.map((method) => `client.${method}`),
];
const ofElements = [
  'mount',
  'unmount',
  'update',
  'validate',
  'clear',
  'focus',
  'blur',
  'on',
  'setValue',
  'setValueRef',
].map((member) => `element.${member}`);
const components = [
  'useBasisTheory',
  'BasisTheoryProvider',
  'CardElement',
  'CardNumberElement',
  'CardExpirationDateElement',
  'CardVerificationCodeElement',
  'TextElement',
];
/** Members added in the second generation. */
const added: Readonly<Record<string, readonly string[]>> = {
  'web-elements 2.17.0': ['device.getDeviceInfo'],
  'react-elements 2.17.0': ['CopyButtonElement'],
};

export function listElementCalls(): [string, readonly string[]][] {
  const web = webElements.map(({ name }): [string, string[]] => [name, [...ofInstance, ...ofElements]]);
  const react = reactElements.map(({ name }): [string, string[]] => [name, components]);
  return [...web, ...react].map(([name, calls]) => [name, [...calls, ...(added[name] ?? [])].toSorted()]);
}
