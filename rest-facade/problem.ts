// Turns bodies of errors into problem details (RFC 9457), for clients that request them by `Accept`. Such a body has the
// members that the interface documents, and the members of the RFC.
import { STATUS_CODES } from 'node:http';

export const problemType = 'application/problem+json';

/**
 * Whether `Accept` names problem details and does not prefer JSON. False for `*`, so that such clients get the body
 * that the interface documents.
 */
export function acceptsProblem(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? '').split(',').map((range): [string, number] => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );
  const problem = weights.get(problemType) ?? 0;
  return problem > 0 && problem >= (weights.get('application/json') ?? 0);
}

export interface Problem extends Readonly<Record<string, unknown>> {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

export function problemOf(status: number, body: Readonly<Record<string, unknown>>): Problem {
  const { message, error, errors } = body;
  const sentences = [message, error, ...(Array.isArray(errors) ? [errors.join('; ')] : [])];
  const detail = sentences.find((each) => typeof each === 'string') ?? '';
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...body };
}
