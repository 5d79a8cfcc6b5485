// The teams of the account. The configuration refers to a team as `@org/team`, and a team can have permissions.
import type { ReactNode } from 'react';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { AnswerView, useWholeList } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { count } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  AddTeamMemberDocument,
  CreateTeamDocument,
  DeleteTeamDocument,
  RemoveTeamMemberDocument,
  TeamMembersDocument,
  TeamsDocument,
  type TeamMembersQuery,
  type TeamsQuery,
} from '../generated/accounts.ts';

interface Person {
  readonly id: string;
  readonly email: string;
}

type Team = TeamsQuery['teams']['nodes'][number];

const teamsOf = ({ teams }: TeamsQuery): TeamsQuery['teams'] => teams;

const noMembers = { nodes: [], pageInfo: { hasNextPage: false } };

function membersOf({ node }: TeamMembersQuery) {
  return node?.__typename === 'Team' ? node.members : noMembers;
}

export function Teams({ people }: { readonly people: readonly Person[] }): ReactNode {
  const client = useClient();
  const act = useAct();
  const answer = useWholeList(TeamsDocument, {}, teamsOf);
  return (
    <section>
      <h3 className={parts['h']}>Teams</h3>
      <AnswerView answer={answer} what="The teams">
        {(nodes) => (
          <>
            {nodes.length > 0 && (
              <ul className={cx(parts['box'], parts['list'])}>
                {nodes.map((team) => (
                  <AnyTeam key={team.id} team={team} people={people} refresh={answer.refresh} />
                ))}
              </ul>
            )}
            <div className={parts['acts']}>
              <Button onClick={() => act(createAction(client, answer.refresh))}>New team</Button>
              {nodes.length === 0 && (
                <span className="sm dim">A configuration names a team as @organization/team.</span>
              )}
            </div>
          </>
        )}
      </AnswerView>
    </section>
  );
}

interface AnyTeamProps {
  readonly team: Team;
  readonly people: readonly Person[];
  readonly refresh: () => void;
}

function AnyTeam(props: AnyTeamProps): ReactNode {
  const { nodes, pageInfo } = props.team.members;
  return pageInfo.hasNextPage ? <LargeTeam {...props} /> : <TeamItem {...props} members={nodes} />;
}

/** A team that has more members than the list of teams brings. */
function LargeTeam(props: AnyTeamProps): ReactNode {
  const { team, refresh } = props;
  const answer = useWholeList(TeamMembersDocument, { team: team.id }, membersOf);
  const refreshAll = (): void => {
    refresh();
    answer.refresh();
  };
  return (
    <AnswerView answer={answer} what={`The members of ${team.address}`}>
      {(members) => <TeamItem {...props} members={members} refresh={refreshAll} />}
    </AnswerView>
  );
}

interface TeamProps extends AnyTeamProps {
  readonly members: readonly Person[];
}

function TeamItem(props: TeamProps): ReactNode {
  const { team, members, people } = props;
  const client = useClient();
  const act = useAct();
  const isFull = choicesOf(people, members, 'add').length === 0;
  return (
    <li>
      <span className="grow">
        <b>{team.address}</b>{' '}
        {team.name !== team.address && (
          <span className="faint">
            <Name>{team.name}</Name>
          </span>
        )}
        <p className="sm dim">{members.length === 0 ? 'nobody yet' : members.map(({ email }) => email).join(', ')}</p>
      </span>
      <Button
        kind="quiet"
        about={`to ${team.address}`}
        disabled={isFull}
        title={isFull ? 'Everybody is in the team.' : undefined}
        onClick={() => act(changeAction(client, props, 'add'))}
      >
        Add…
      </Button>
      {members.length > 0 && (
        <Button kind="quiet" about={`from ${team.address}`} onClick={() => act(changeAction(client, props, 'remove'))}>
          Remove…
        </Button>
      )}
      <Button kind="quiet" about={team.address} onClick={() => act(deleteAction(client, props))}>
        Delete…
      </Button>
    </li>
  );
}

function createAction(client: Client, refresh: () => void): Action {
  return {
    title: 'A new team',
    verb: 'Create',
    harms: false,
    fields: [
      { name: 'org', label: 'Organization', required: true },
      { name: 'slug', label: 'Short name, as in @organization/short-name', required: true },
      { name: 'name', label: 'Name (empty: the short name)' },
    ],
    preview: null,
    run: async ({ org = '', slug = '', name = '' }) => {
      const input = { org, slug, ...(name !== '' && { name }) };
      await answerOf(client.mutation(CreateTeamDocument, { input }));
      refresh();
      return `@${org}/${slug} is created. It has no members yet.`;
    },
  };
}

function choicesOf(people: readonly Person[], members: readonly Person[], what: 'add' | 'remove'): readonly Person[] {
  const emails = new Set(members.map(({ email }) => email));
  return people.filter(({ email }) => emails.has(email) === (what === 'remove'));
}

/** Adds a person to the team, or removes a member. */
function changeAction(client: Client, { team, people, members, refresh }: TeamProps, what: 'add' | 'remove'): Action {
  const choices = choicesOf(people, members, what);
  return {
    title: what === 'add' ? `Add to ${team.address}` : `Remove from ${team.address}`,
    verb: what === 'add' ? 'Add' : 'Remove',
    harms: what === 'remove',
    fields: [{ name: 'person', label: 'Who', required: true, options: choices.map(({ email }) => email) }],
    preview: null,
    run: async ({ person = '' }) => {
      const user = choices.find(({ email }) => email === person)?.id ?? '';
      const input = { team: team.id, user };
      if (what === 'add') await answerOf(client.mutation(AddTeamMemberDocument, { input }));
      else await answerOf(client.mutation(RemoveTeamMemberDocument, { input }));
      refresh();
      return what === 'add' ? `${person} is in ${team.address}.` : `${person} is no longer in ${team.address}.`;
    },
  };
}

function deleteAction(client: Client, { team, members, refresh }: TeamProps): Action {
  return {
    title: `Delete ${team.address}?`,
    verb: 'Delete',
    harms: true,
    preview: async () => ({
      sentence: `${count(members.length, 'member loses', 'members lose')} the permissions of ${team.address}. A configuration that names the team then names nobody.`,
    }),
    run: async () => {
      await answerOf(client.mutation(DeleteTeamDocument, { input: { id: team.id } }));
      refresh();
      return `${team.address} is deleted.`;
    },
  };
}
