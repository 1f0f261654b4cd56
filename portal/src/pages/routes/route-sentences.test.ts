import { describe, expect, it } from 'vitest';
import { newTransform, recipes, toSettings } from './route-draft';
import { describeRoute } from './route-sentences';

describe('describeRoute', () => {
  it('says what an inbound route may do', () => {
    const draft = {
      ...recipes.partner.make(),
      destinationUrl: 'https://orders.example.com/cards',
      sources: '192.0.2.0/24',
    };
    const settings = toSettings({ ...draft, proofHeader: 'X-Signature', secretName: 'PARTNER' });
    expect(describeRoute(settings as Parameters<typeof describeRoute>[0], 'Inbound')).toEqual([
      'Calls go to orders.example.com, and to no other host.',
      'Anybody from 192.0.2.0/24 who knows its key may call it, without an API key, and must send an HMAC-SHA-256 of the body in X-Signature.',
      'It has the rights of Inbound, and no others, whoever calls.',
      'References to tokens stay as they are: a caller without an API key uses no token.',
      'In requests, the value at $.card.number is stored as a token, and orders.example.com receives its id.',
      'In requests, $.card.cvc is removed.',
      String.raw`In responses, what matches (\d{12})\d{4} is masked.`,
      'A request that it cannot look into is refused.',
      'A response that it cannot look into does not reach the caller.',
    ]);
  });

  it('says that plaintext leaves', () => {
    const draft = { ...recipes.nothing.make(), destinationUrl: 'https://provider.example.com' };
    const response = [newTransform('detokenize', { location: '$.card' })];
    const settings = toSettings({ ...draft, response }) as Parameters<typeof describeRoute>[0];
    expect(describeRoute(settings, undefined)).toContain(
      'References to tokens in requests are replaced with plaintext, which provider.example.com receives.',
    );
    expect(describeRoute(settings, undefined)).toContain(
      'In responses, the token at $.card is replaced with its value, as far as the rights allow, and the caller receives it.',
    );
  });
});
