// The page of people and their roles.
import type { ReactNode } from 'react';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { AnswerView, useTitle, useWholeList } from '../app/page.tsx';
import { useAccountRefusal } from '../app/permitted.ts';
import { cx } from '../design/cx.ts';
import { count, labelOf } from '../design/labels.ts';
import { Answer, Bar, Button, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import {
  AddUserDocument,
  PeopleDocument,
  RemoveUserDocument,
  type PeopleQuery,
  type Role,
} from '../generated/accounts.ts';
import { Teams } from './teams.tsx';

type Person = PeopleQuery['users']['nodes'][number];

const usersOf = ({ users }: PeopleQuery): PeopleQuery['users'] => users;

const roles = ['MEMBER', 'MAINTAINER', 'ADMIN'] as const satisfies readonly Role[];

export function PeoplePage(): ReactNode {
  useTitle('People');
  const client = useClient();
  const act = useAct();
  const refusal = useAccountRefusal('ADMINISTER');
  const answer = useWholeList(PeopleDocument, {}, usersOf);
  return (
    <>
      <Bar title="People">
        <span className="grow" />
        <Button
          kind="go"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => act(addAction(client, answer.refresh))}
        >
          Add a person
        </Button>
      </Bar>
      <AnswerView answer={answer} what="The people">
        {(users) => {
          const people = users.filter(({ removedAt }) => !removedAt);
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {describeUsers(people)}{' '}
                <em>{count(people.filter(({ role }) => role === 'ADMIN').length, 'is an admin', 'are admins')}.</em>
              </Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {people.map((user) => (
                    <PersonItem key={user.id} user={user} refresh={answer.refresh} />
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

function addAction(client: Client, refresh: () => void): Action {
  return {
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
      refresh();
      return `${email} now has the role ${labelOf(role)}.`;
    },
  };
}

function removeAction(client: Client, { id, email }: Person, refresh: () => void): Action {
  return {
    title: `Remove ${email}?`,
    verb: 'Remove',
    harms: true,
    preview: async () => ({
      sentence: `The tokens and sessions of ${email} end at once. The activity still shows what ${email} did.`,
    }),
    run: async () => {
      await answerOf(client.mutation(RemoveUserDocument, { input: { id } }));
      refresh();
      return `${email} is removed.`;
    },
  };
}

function PersonItem({ user, refresh }: { readonly user: Person; readonly refresh: () => void }): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <li>
      <span className="grow cut">
        <b>{user.email}</b> <span className="faint">{user.handle}</span>
      </span>
      {user.isService && <Pill>service</Pill>}
      <Pill tone={user.role === 'ADMIN' ? 'violet' : 'plain'}>{labelOf(user.role)}</Pill>
      <span className="sm faint wide">
        since <At at={user.createdAt} />
      </span>
      {!user.isService && (
        <Button kind="quiet" about={user.email} onClick={() => act(removeAction(client, user, refresh))}>
          Remove…
        </Button>
      )}
    </li>
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
