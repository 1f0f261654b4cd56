import { OperatorError } from '../../core/errors/operator-error.ts';
import { codeOf } from '../../core/errors/thrown.ts';
import { toPlace } from '../../core/network/place.ts';

interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

interface Listener {
  listen(address: { readonly host: string; readonly port: number }): Promise<unknown>;
  addresses(): readonly (BoundAddress | string | null)[];
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The settings that an operator changes to choose another address. */
  readonly settings: { readonly host: string; readonly port: string };
}

/** Another process listens on a port. */
export class PortTaken extends OperatorError {
  readonly port: number;

  constructor(port: number, message: string) {
    super(message);
    this.port = port;
  }
}

/** Starts to listen and returns the URL of the bound address, which contains `0.0.0.0` if the server listens there. */
export async function listen(app: Listener, { host, port, settings }: ListenAddress): Promise<string> {
  await app.listen({ host, port }).catch((error: unknown) => {
    throw explain(error, { host, port, settings });
  });
  const [bound] = app.addresses();
  if (typeof bound !== 'object' || bound === null) throw new Error('The server listens on no address.');
  return `http://${toPlace(bound.address, bound.port)}`;
}

function explain(error: unknown, { host, port, settings }: ListenAddress): unknown {
  const place = toPlace(host, port);
  const noAddress = `This machine does not have the address ${host}. Set ${settings.host} to one that it has, or to 0.0.0.0 for all.`;
  const explanations = new Map([
    [
      'EADDRINUSE',
      `Port ${port} is already in use (${place}). Stop what is using it, or set ${settings.port} to another port.`,
    ],
    [
      'EACCES',
      `This user may not listen on port ${port} (${place}). Set ${settings.port} to a port from 1024, or allow it.`,
    ],
    ['EADDRNOTAVAIL', noAddress],
    ['ENOTFOUND', noAddress],
  ]);
  const code = codeOf(error) ?? '';
  const explanation = explanations.get(code);
  if (explanation === undefined) return error;
  return code === 'EADDRINUSE' ? new PortTaken(port, explanation) : new OperatorError(explanation);
}
