// The page of tokens.
import { useState, type ReactNode } from 'react';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { useListPage } from '../app/entry-state.ts';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { instantOf } from '../app/errors.ts';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import type { QueryAnswer } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { now, useNow } from '../design/clock.ts';
import { count } from '../design/labels.ts';
import { Answer, Bar, Button, Pages, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At, describeInstant } from '../design/time.tsx';
import { Name } from '../design/name.tsx';
import {
  CreateApiTokenDocument,
  RevokeApiTokenDocument,
  TokensDocument,
  TokensOfAccountDocument,
  type Scope,
  type TokensOfAccountQuery,
  type TokensQuery,
} from '../generated/accounts.ts';

type Token = TokensQuery['viewer']['apiTokens'][number];

const shownTokens = 50;

/** How the token has ended. Null: it is valid. */
function endOf({ revokedAt, expiresAt }: Token, now: number): 'revoked' | 'expired' | null {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : null;
}

/** What a new token may do. A token can only have scopes that the viewer has. */
const presets: Readonly<Record<string, (own: readonly Scope[]) => readonly Scope[]>> = {
  'read queues': () => ['QUEUE_READ'],
  'queue pull requests': () => ['QUEUE_READ', 'QUEUE_WRITE'],
  'register previews': () => ['PREVIEW_REGISTER'],
  'deploy and roll back': () => ['RELEASE_READ', 'DEPLOY_WRITE'],
  everything: (own) => own,
};

/** An admin sees every token of the account, and everybody else their own tokens. */
export function TokensPage(): ReactNode {
  useTitle('Tokens');
  const client = useClient();
  const act = useAct();
  const [after, setAfter] = useListPage('tokens');
  const now = useNow();
  // One token more than the page shows, so that the page knows whether there are others.
  const page = { first: shownTokens + 1, after };
  const own = useAnswer(TokensDocument, page);
  const scopes = own.data?.viewer.scopes ?? [];
  const isAdmin = scopes.includes('ADMIN');
  const ofAccount = useAnswer(TokensOfAccountDocument, page, { pause: !isAdmin });
  const answer: QueryAnswer<TokensQuery | TokensOfAccountQuery> = isAdmin ? ofAccount : own;
  const [made, setMade] = useState<string | null>(null);
  const onMade = (token: string): void => {
    setMade(token);
    answer.refresh();
  };
  return (
    <>
      <Bar title="Tokens">
        <span className="grow" />
        <Button kind="go" onClick={() => act(createAction(client, scopes, onMade))}>
          New token
        </Button>
      </Bar>
      <AnswerView answer={answer} what="The tokens">
        {(data) => {
          const read = 'viewer' in data ? data.viewer.apiTokens : data.apiTokens;
          const tokens = read.slice(0, shownTokens);
          const valid = tokens.filter((token) => endOf(token, now) === null);
          const isOnePage = after === null && read.length <= shownTokens;
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {count(valid.length, 'token', 'tokens')}
                {isOnePage ? '' : ' on this page'} {valid.length === 1 ? 'is' : 'are'} valid.{' '}
                <em>{describeUnused(valid)}</em>
              </Answer>
              <div className={parts['body']}>
                {made !== null && <NewToken token={made} />}
                <ul className={cx(parts['box'], parts['list'])}>
                  {tokens.map((token) => (
                    <TokenItem key={token.id} token={token} end={endOf(token, now)} refresh={answer.refresh} />
                  ))}
                </ul>
                <Pages
                  after={after}
                  pageInfo={{ hasNextPage: read.length > shownTokens, endCursor: tokens.at(-1)?.id ?? null }}
                  onPage={setAfter}
                />
              </div>
            </div>
          );
        }}
      </AnswerView>
    </>
  );
}

function NewToken({ token }: { readonly token: string }): ReactNode {
  return (
    <div className={cx(parts['next'], parts['green'])}>
      <b>The new token. It is shown once.</b>
      <Terminal label="The new token">{token}</Terminal>
    </div>
  );
}

function createAction(client: Client, own: readonly Scope[], onMade: (token: string) => void): Action {
  return {
    title: 'A new token',
    verb: 'Create',
    harms: false,
    fields: [
      { name: 'name', label: 'Name', required: true },
      { name: 'may', label: 'What the token may do', options: Object.keys(presets) },
      { name: 'expires', label: 'Until (empty: it does not expire)', type: 'datetime-local' },
    ],
    preview: null,
    run: async ({ name = '', may = '', expires = '' }) => {
      const { createApiToken } = await answerOf(
        client.mutation(CreateApiTokenDocument, {
          input: {
            name,
            kind: 'USER',
            scopes: [...(presets[may]?.(own) ?? [])],
            expiresAt: instantOf(expires, 'Until'),
          },
        }),
      );
      onMade(createApiToken.token);
      return 'The token is shown once. Copy it now.';
    },
  };
}

function revokeAction(client: Client, { id, name }: Token, refresh: () => void): Action {
  return {
    title: `Revoke ${name}?`,
    verb: 'Revoke',
    harms: true,
    preview: async () => ({
      sentence: `Every program that uses ${name} is refused at once, and its sessions and sockets end.`,
    }),
    run: async () => {
      await answerOf(client.mutation(RevokeApiTokenDocument, { input: { id } }));
      refresh();
      return `${name} is revoked.`;
    },
  };
}

interface TokenItemProps {
  readonly token: Token;
  readonly end: ReturnType<typeof endOf>;
  readonly refresh: () => void;
}

function TokenItem({ token, end, refresh }: TokenItemProps): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <li>
      <span className="grow">
        <b>
          <Name>{token.name}</Name>
        </b>{' '}
        <span className="faint">{token.userEmail}</span>
        <p className="sm dim">{token.scopes.map(scopeOf).join(', ')}</p>
      </span>
      <span className="sm faint wide">
        {token.lastUsedAt ? (
          <>
            used <Ago at={token.lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
      </span>
      {token.expiresAt && (
        <span className="sm faint wide">
          until <At at={token.expiresAt} />
        </span>
      )}
      {end ? (
        <Pill tone="red">{end}</Pill>
      ) : (
        <Button
          kind="quiet"
          about={`${token.name}, of ${token.userEmail}, made ${describeInstant(token.createdAt, now())}`}
          onClick={() => act(revokeAction(client, token, refresh))}
        >
          Revoke…
        </Button>
      )}
    </li>
  );
}

/** `QUEUE_READ` as `queue:read`. */
function scopeOf(scope: Scope): string {
  return scope.toLowerCase().replace('_', ':');
}

function describeUnused(tokens: readonly { readonly lastUsedAt: string | null }[]): string {
  const unused = tokens.filter(({ lastUsedAt }) => lastUsedAt === null).length;
  return unused === 0 ? '' : `${count(unused, 'was never used', 'were never used')}.`;
}
