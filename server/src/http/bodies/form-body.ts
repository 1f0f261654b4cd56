import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { membersOf } from '../../core/objects/members-of.ts';
import { DomainError } from '../../core/errors/domain-error.ts';

const formSizeMax = 32 * 1024;
const fieldsMax = 20;

/** A submitted form. Each field appears once, as text. */
type Form = Readonly<Record<string, string>>;

/** Makes the routes of `app` accept forms from the vault's own pages, and nothing else. */
export function addFormParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _stream, done) => {
    const parse = (body: Buffer) => readForm(request.headers['content-type'] ?? '', body);
    request.server.bodyReader.read(request, { sizeMax: formSizeMax, parse }, done);
  });
}

/** Returns a reader for the fields of a form. A form without fields was submitted with just a button. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const form = membersOf(request.body);
  return (name) => {
    const field = Object.hasOwn(form, name) ? form[name] : undefined;
    return typeof field === 'string' ? field : '';
  };
}

function readForm(contentType: string, body: Buffer): Form {
  if (contentType.toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new DomainError('unsupported-media-type', 'This page accepts form submissions only.');
  }
  if (!isUtf8(body)) throw malformedForm();
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  const names = new Set(fields.map(([name]) => name));
  if (fields.length > fieldsMax || names.size < fields.length) throw malformedForm();
  return Object.fromEntries(fields);
}

function malformedForm(): DomainError {
  return new DomainError('validation-failed', 'The form data is not valid. Go back and submit the form again.');
}
