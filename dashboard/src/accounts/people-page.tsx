// The page of people and their roles.
import { useRef, type ReactNode } from 'react';
import { useSearch } from '@tanstack/react-router';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { useListPage } from '../app/entry-state.ts';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { useCommands } from '../app/commands.ts';
import { Filter } from '../app/filter.tsx';
import { AnswerView, useTitle, useWholeList } from '../app/page.tsx';
import { useAccountRefusal } from '../app/permitted.ts';
import { cx } from '../design/cx.ts';
import { count, labelOf } from '../design/labels.ts';
import { Answer, Bar, Button, Pages, Pill } from '../design/parts.tsx';
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
  const { text = '' } = useSearch({ strict: false });
  const filter = useRef<HTMLInputElement>(null);
  useCommands([{ key: '/', label: 'Filter', group: 'View', run: () => filter.current?.focus() }]);
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
        <Filter input={filter} text={text} by="email address, name at the code host or role" />
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
                <People key={text} people={people.filter(matcherOf(text))} refresh={answer.refresh} />
                <Teams people={people} />
              </div>
            </div>
          );
        }}
      </AnswerView>
    </>
  );
}

/** The number of people on a page of the list. */
const pageSize = 50;

/** Shows the people in pages. Their number is not limited. */
function People({ people, refresh }: { readonly people: readonly Person[]; readonly refresh: () => void }): ReactNode {
  const [after, setAfter] = useListPage('people');
  // When people are removed, the shown page may lie behind the end of the list.
  const start = Math.min(Number(after ?? 0), Math.floor(Math.max(0, people.length - 1) / pageSize) * pageSize);
  const end = start + pageSize;
  if (people.length === 0) return <p className="dim">Nobody matches the filter.</p>;
  return (
    <>
      <ul className={cx(parts['box'], parts['list'])} aria-label="People">
        {people.slice(start, end).map((user) => (
          <PersonItem key={user.id} user={user} refresh={refresh} />
        ))}
      </ul>
      <Pages
        after={start === 0 ? null : after}
        pageInfo={{ hasNextPage: end < people.length, endCursor: String(end) }}
        onPage={setAfter}
        first="First"
        next="Next"
      />
    </>
  );
}

function matcherOf(text: string): (person: Person) => boolean {
  const sought = text.trim().toLowerCase();
  return ({ email, handle, role, isService }) =>
    [email, handle ?? '', labelOf(role), isService ? 'service' : ''].some((one) => one.toLowerCase().includes(sought));
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
