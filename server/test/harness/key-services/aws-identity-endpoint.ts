import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KnownCredentials } from './aws-signature-check.ts';

/**
 * Imitations of the services that issue temporary credentials on AWS, written from their documentation: STS, the metadata
 * service of EC2, the endpoint of containers (ECS, EKS Pod Identity) and the portal of IAM Identity Center (SSO). The SDK
 * finds them by the variables that it has for their addresses.
 */
export class AwsIdentityEndpoint {
  readonly issued: KnownCredentials = {
    accessKeyId: 'ASIAEXAMPLEEXAMPLE',
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(60).toString('base64'),
  };
  /** The token that each way to sign in expects. */
  readonly tokens = { webIdentity: 'header.claims.signature', container: 'pod-token', sso: 'sso-token' };
  /** What was asked for, such as `AssumeRoleWithWebIdentity`. */
  readonly seen: string[] = [];
  isUnavailable = false;
  readonly #server: Server;

  static async start(): Promise<AwsIdentityEndpoint> {
    const started: { identity?: AwsIdentityEndpoint } = {};
    const server = createServer((request, response) => void started.identity?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    started.identity = new AwsIdentityEndpoint(server);
    return started.identity;
  }

  private constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [status, body] = this.#respond(request, Buffer.concat(chunks).toString('utf8'));
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #respond({ method, url = '', headers }: IncomingMessage, body: string): readonly [number, string | object] {
    const { accessKeyId, secretAccessKey, sessionToken } = this.issued;
    const times = { Expiration: new Date(Date.now() + 3_600_000).toISOString() };
    const named = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, ...times };
    const { pathname } = new URL(url, this.url);
    if (this.isUnavailable) return [503, ''];
    switch (`${method} ${pathname}`) {
      case 'POST /':
        return this.#sts(new URLSearchParams(body), headers.authorization);
      case 'PUT /latest/api/token':
        return [200, 'metadata-token'];
      case 'GET /latest/meta-data/iam/security-credentials/':
        this.seen.push('instance role');
        return headers['x-aws-ec2-metadata-token'] === 'metadata-token' ? [200, 'strongroom'] : [401, ''];
      case 'GET /latest/meta-data/iam/security-credentials/strongroom':
        return [200, { Code: 'Success', Type: 'AWS-HMAC', LastUpdated: new Date().toISOString(), ...named }];
      case 'GET /v1/credentials':
        this.seen.push('container');
        return headers.authorization === this.tokens.container ? [200, named] : [403, {}];
      case 'GET /federation/credentials':
        this.seen.push('SSO');
        if (headers['x-amz-sso_bearer_token'] !== this.tokens.sso) return [401, { __type: 'UnauthorizedException' }];
        return [
          200,
          { roleCredentials: { accessKeyId, secretAccessKey, sessionToken, expiration: Date.now() + 3_600_000 } },
        ];
      default:
        return [404, ''];
    }
  }

  /** The query API of STS, which takes a form and returns XML. */
  #sts(form: URLSearchParams, authorization: string | undefined): readonly [number, string] {
    const action = form.get('Action') ?? '';
    this.seen.push(action);
    const isAllowed =
      action === 'AssumeRoleWithWebIdentity'
        ? form.get('WebIdentityToken') === this.tokens.webIdentity
        : authorization?.includes('/sts/aws4_request') === true;
    if (!isAllowed) {
      return [
        400,
        '<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>No.</Message></Error></ErrorResponse>',
      ];
    }
    const { accessKeyId, secretAccessKey, sessionToken } = this.issued;
    const role = form.get('RoleArn') ?? '';
    const credentials = `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials>`;
    const user = `<AssumedRoleUser><Arn>${role.replace(':role/', ':assumed-role/')}/session</Arn><AssumedRoleId>ARO:session</AssumedRoleId></AssumedRoleUser>`;
    const xmlns = 'https://sts.amazonaws.com/doc/2011-06-15/';
    return [
      200,
      `<${action}Response xmlns="${xmlns}"><${action}Result>${credentials}${user}</${action}Result></${action}Response>`,
    ];
  }
}
