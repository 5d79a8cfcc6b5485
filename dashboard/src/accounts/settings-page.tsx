// The page of people, their roles, and tokens.
import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import { Teams } from './teams.tsx';
import {
  AddUserDocument,
  CreateApiTokenDocument,
  PeopleDocument,
  RemoveUserDocument,
  RevokeApiTokenDocument,
  TokensDocument,
  type Role,
  type Scope,
} from '../generated/accounts.ts';

const roles = ['MEMBER', 'MAINTAINER', 'ADMIN'] as const satisfies readonly Role[];

export function PeoplePage(): ReactNode {
  useTitle('People');
  const client = useClient();
  const act = useAct();
  const answer = useAnswer(PeopleDocument, {});
  const add: Action = {
    title: 'Add a person',
    verb: 'Add',
    harms: false,
    fields: [
      { name: 'email', label: 'Email address', type: 'email', required: true },
      { name: 'handle', label: 'Name at the code host (empty: none)' },
      { name: 'role', label: 'Role', options: roles },
    ],
    preview: null,
    run: async ({ email = '', handle = '', role = 'MEMBER' }) => {
      await answerOf(
        client.mutation(AddUserDocument, {
          input: { email, handle: handle === '' ? null : handle, role: role as Role },
        }),
      );
      answer.refresh();
      return `${email} now has the role ${labelOf(role)}.`;
    },
  };
  const remove = (id: string, email: string): Action => ({
    title: `Remove ${email}?`,
    verb: 'Remove',
    harms: true,
    preview: async () => ({
      sentence: `The tokens and sessions of ${email} end at once. The activity still shows what ${email} did.`,
    }),
    run: async () => {
      await answerOf(client.mutation(RemoveUserDocument, { input: { id } }));
      answer.refresh();
      return `${email} is removed.`;
    },
  });
  return (
    <>
      <Bar title="People">
        <span className="grow" />
        <Button kind="go" onClick={() => act(add)}>
          Add a person
        </Button>
      </Bar>
      <AnswerView answer={answer} what="The people">
        {({ users }) => {
          const people = users.nodes.filter(({ removedAt }) => !removedAt);
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {describeUsers(people)}{' '}
                <em>{count(people.filter(({ role }) => role === 'ADMIN').length, 'is an admin', 'are admins')}.</em>
              </Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {people.map((user) => (
                    <li key={user.id}>
                      <span className="grow cut">
                        <b>{user.email}</b> <span className="faint">{user.handle}</span>
                      </span>
                      {user.isService && <Pill>service</Pill>}
                      <Pill tone={user.role === 'ADMIN' ? 'violet' : 'plain'}>{labelOf(user.role)}</Pill>
                      <span className="sm faint wide">
                        since <At at={user.createdAt} />
                      </span>
                      {!user.isService && (
                        <Button kind="quiet" onClick={() => act(remove(user.id, user.email))}>
                          Remove…
                        </Button>
                      )}
                    </li>
                  ))}
                </ul>
                <Teams people={people} />
              </div>
            </div>
          );
        }}
      </AnswerView>
    </>
  );
}

/** `3 people and 1 service user.` */
function describeUsers(users: readonly { readonly isService: boolean }[]): string {
  const services = users.filter(({ isService }) => isService).length;
  const persons = users.length - services;
  if (services === 0) return `${count(persons, 'person', 'people')}.`;
  const serviceUsers = count(services, 'service user');
  return persons === 0
    ? `${serviceUsers}, and nobody else.`
    : `${count(persons, 'person', 'people')} and ${serviceUsers}.`;
}

const presets: Readonly<Record<string, readonly Scope[]>> = {
  'read queues': ['QUEUE_READ'],
  'queue pull requests': ['QUEUE_READ', 'QUEUE_WRITE'],
  'register previews': ['PREVIEW_REGISTER'],
  'deploy and roll back': ['RELEASE_READ', 'DEPLOY_WRITE'],
  everything: ['ADMIN'],
};

export function TokensPage(): ReactNode {
  useTitle('Tokens');
  const client = useClient();
  const act = useAct();
  const answer = useAnswer(TokensDocument, {});
  const [made, setMade] = useState<string | null>(null);
  const create: Action = {
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
            scopes: [...(presets[may] ?? [])],
            expiresAt: expires === '' ? null : new Date(expires).toISOString(),
          },
        }),
      );
      setMade(createApiToken.token);
      answer.refresh();
      return 'The token is shown once. Copy it now.';
    },
  };
  const revoke = (id: string, name: string): Action => ({
    title: `Revoke ${name}?`,
    verb: 'Revoke',
    harms: true,
    preview: async () => ({
      sentence: `Every program that uses ${name} is refused at once, and its sessions and sockets end.`,
    }),
    run: async () => {
      await answerOf(client.mutation(RevokeApiTokenDocument, { input: { id } }));
      answer.refresh();
      return `${name} is revoked.`;
    },
  });
  return (
    <>
      <Bar title="Tokens">
        <span className="grow" />
        <Button kind="go" onClick={() => act(create)}>
          New token
        </Button>
      </Bar>
      <AnswerView answer={answer} what="The tokens">
        {({ apiTokens }) => {
          const valid = apiTokens.filter(({ revokedAt }) => !revokedAt);
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {count(valid.length, 'token is valid', 'tokens are valid')}. <em>{describeUnused(valid)}</em>
              </Answer>
              <div className={parts['body']}>
                {made !== null && (
                  <div className={cx(parts['next'], parts['green'])}>
                    <b>The new token. It is shown once.</b>
                    <Terminal label="The new token">{made}</Terminal>
                  </div>
                )}
                <ul className={cx(parts['box'], parts['list'])}>
                  {apiTokens.map((token) => (
                    <li key={token.id}>
                      <span className="grow">
                        <b>{token.name}</b> <span className="faint">{token.userEmail}</span>
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
                      {token.revokedAt ? (
                        <Pill tone="red">revoked</Pill>
                      ) : (
                        <Button kind="quiet" onClick={() => act(revoke(token.id, token.name))}>
                          Revoke…
                        </Button>
                      )}
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          );
        }}
      </AnswerView>
    </>
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
