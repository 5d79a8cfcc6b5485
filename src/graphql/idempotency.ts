// `Idempotency-Key` for GraphQL mutations. The answers are stored like those of REST. A key belongs to a user with a
// role and certain scopes, because they determine what a document may read.
import { createHash } from 'node:crypto';
import type {
  ApolloServerPlugin,
  GraphQLRequestContext,
  GraphQLRequestContextDidResolveOperation,
} from '@apollo/server';
import { OperationTypeNode, type FormattedExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { DomainError, errorCodes, inProgressRetrySec, type ErrorCode } from '../domain/errors.ts';
import { markCommits } from '../platform/database.ts';
import type { IdempotencyKey, AnswerStore } from '../server/idempotency.ts';
import type { GraphQLContext } from './context.ts';
import { refusal } from './errors.ts';

const header = 'idempotency-key';
const form = /^[\x21-\x7e]{1,255}$/;

export type ResolvedOperation = GraphQLRequestContextDidResolveOperation<GraphQLContext>;

export interface StoringOptions {
  readonly kept: AnswerStore;
  readonly log: Logger;
  /** Throws if the request is refused before it is carried out. */
  readonly admit: (context: ResolvedOperation) => void;
}

export function storeAnswers({ kept, log, admit }: StoringOptions): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      let first: IdempotencyKey | undefined;
      let replayed: string | undefined;
      return {
        didResolveOperation: async (context) => {
          // Apollo calls this hook of all plugins at once. If another plugin refused the request, its answer would be
          // sent before the key is claimed, and nothing would free the key.
          admit(context);
          const key = keyOf(context);
          if (key === undefined) return;
          const claim = await kept.claim(key);
          switch (claim.kind) {
            case 'First':
              first = key;
              markCommits(kept.marksOf(key));
              return;
            case 'Answered':
              replayed = claim.answer.body;
              return;
            case 'OtherFingerprint':
              throw refusal(new DomainError('KEY_REUSED', 'Idempotency-Key was used with another request.'));
            case 'InProgress':
              throw refusal(
                new DomainError('CONFLICT', 'The first request with this Idempotency-Key is still in progress.'),
                new Map([['retry-after', String(inProgressRetrySec)]]),
              );
            case 'AnswerLost':
              throw refusal(
                new DomainError(
                  'CONFLICT',
                  'The first request with this Idempotency-Key has changed something, but its answer was lost.',
                ),
              );
            default:
              claim satisfies never;
          }
        },
        responseForOperation: async ({ response }) => {
          if (replayed === undefined) return null;
          response.http.headers.set('idempotent-replayed', 'true');
          const singleResult = JSON.parse(replayed) as FormattedExecutionResult;
          return { http: response.http, body: { kind: 'single', singleResult } };
        },
        // The mutation has been carried out, so a failure to store the answer must not become an error of the request.
        willSendResponse: async ({ response: { body } }) => {
          if (first === undefined) return;
          const result = body.kind === 'single' ? body.singleResult : null;
          const answer =
            result !== null && isKept(result) ? { status: 200, headers: {}, body: JSON.stringify(result) } : undefined;
          await kept
            .conclude(first, answer)
            .catch((error: unknown) => log.error({ err: error }, 'The answer of an idempotency key was not stored.'));
        },
      };
    },
  };
}

/** Undefined: the answer is not stored. */
function keyOf({
  request,
  source,
  operation,
  contextValue,
}: GraphQLRequestContext<GraphQLContext>): IdempotencyKey | undefined {
  const key = request.http?.headers.get(header);
  if (key === undefined || operation?.operation !== OperationTypeNode.MUTATION) return undefined;
  if (!form.test(key))
    throw refusal(new DomainError('BAD_INPUT', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'));
  const { userId, role, scopes } = contextValue.actor;
  if (userId === null) return undefined;
  // `request.query` is missing if the client sends only the hash of a persisted query.
  const requestText = JSON.stringify([source, request.variables ?? {}, request.operationName ?? null]);
  return {
    accountId: contextValue.accountId,
    userId,
    operation: `POST /graphql ${digest([role, ...scopes].toSorted().join())}`,
    key,
    fingerprint: digest(requestText),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Codes of errors after which the same request may succeed later, or with other permissions. */
const retried: ReadonlySet<string> = new Set(
  (Object.keys(errorCodes) as ErrorCode[]).filter(
    (code) => [401, 403, 429].includes(errorCodes[code]) || errorCodes[code] >= 500,
  ),
);

/** Whether the answer is stored. It is not stored if nothing was done and the same request may succeed later. */
function isKept({ data, errors = [] }: FormattedExecutionResult): boolean {
  const isDone = Object.values(data ?? {}).some((value) => value !== null);
  return isDone || !errors.some(({ extensions }) => retried.has(String(extensions?.['code'])));
}
