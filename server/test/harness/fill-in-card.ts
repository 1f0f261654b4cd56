import type { BrowserContext, Frame } from 'playwright-core';

export interface SavedCard {
  readonly number: string;
  readonly name: string;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvc: string;
}

/** Lets Chromium fill in a saved card, as if somebody had chosen it at the first input of a frame. */
export async function fillInCard(context: BrowserContext, frame: Frame, card: SavedCard): Promise<void> {
  const session = await context.newCDPSession(frame);
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' });
  const { node } = await session.send('DOM.describeNode', { nodeId });
  const { frameTree } = await session.send('Page.getFrameTree');
  await session.send('Autofill.trigger', { fieldId: node.backendNodeId, frameId: frameTree.frame.id, card });
  await session.detach();
}
