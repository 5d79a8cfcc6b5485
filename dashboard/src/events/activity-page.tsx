// The page of activity: what happened in a repository, and what people did in the account.
import { type ReactNode } from 'react';
import { Link, useSearch } from '@tanstack/react-router';
import { useListPage } from '../app/entry-state.ts';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/connection.tsx';
import { useRepository, useShellAnswer } from '../app/use-shell.ts';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Empty, Pages } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { sentence, labelOf } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  ActivityDocument,
  type ActivityQuery,
  RepositoryEventsDocument,
  NewEventDocument,
  type RepositoryEventsQuery,
} from '../generated/events.ts';
import { describeEvent } from '../app/describe-event.ts';

export function ActivityPage(): ReactNode {
  useTitle('Activity');
  const answer = useShellAnswer();
  const shell = answer.data;
  const repository = useRepository(shell);
  const { show } = useSearch({ strict: false });
  const isOfPeople = show === 'people' || (shell !== undefined && repository === null);
  return (
    <>
      <Bar title="Activity">{!isOfPeople && <LiveSign />}</Bar>
      <div className={parts['scroll']} tabIndex={0}>
        <nav className={parts['tabs']} aria-label="Which activity">
          <Link to="/activity" activeOptions={{ exact: true, includeSearch: true }}>
            {repository === null ? 'Events' : `In ${repository.owner}/${repository.name}`}
          </Link>
          <Link to="/activity" search={{ show: 'people' }} activeOptions={{ exact: true, includeSearch: true }}>
            By people
          </Link>
        </nav>
        {isOfPeople && <UserActions />}
        {!isOfPeople && !repository && (
          <AnswerView answer={answer} what="The repositories">
            {() => null}
          </AnswerView>
        )}
        {!isOfPeople && repository && (
          <Events key={`${repository.owner}/${repository.name}`} owner={repository.owner} name={repository.name} />
        )}
      </div>
    </>
  );
}

interface EventsProps {
  readonly owner: string;
  readonly name: string;
}

function Events({ owner, name }: EventsProps): ReactNode {
  const [after, setAfter] = useListPage('events');
  const answer = useLiveQuery({
    document: RepositoryEventsDocument,
    variables: { owner, name, after },
    follows: { document: NewEventDocument, variables: {}, cursorOf: ({ events }) => events.cursor },
  });
  return (
    <AnswerView answer={answer} what="The events">
      {({ repository }) => {
        const { nodes = [], pageInfo } = repository?.events ?? {};
        const [latest] = nodes;
        if (!latest) return <Empty title="Nothing has happened yet." />;
        return (
          <>
            <Answer>
              {titleOf(latest)}. <em>Everything that happened here, newest first.</em>
            </Answer>
            <div className={parts['body']}>
              <table className={cx(parts['table'], parts['dated'])}>
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">What</th>
                    <th scope="col">Of what</th>
                    <th scope="col" className="wide">
                      Who
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map((event) => (
                    <EventItem key={event.cursor} event={event} owner={owner} name={name} />
                  ))}
                </tbody>
              </table>
              <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
            </div>
          </>
        );
      }}
    </AnswerView>
  );
}

type Event = NonNullable<RepositoryEventsQuery['repository']>['events']['nodes'][number];

function titleOf({ action, payload, pullRequest }: Event): string {
  const { what, subject } = describeEvent(action, payload);
  const about = pullRequest ? `#${pullRequest.number}` : subject;
  return about === '' ? what : `${about}: ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

function EventItem({ event, owner, name }: EventsProps & { readonly event: Event }): ReactNode {
  const { at, action, actor, payload, pullRequest } = event;
  const { what, detail, subject } = describeEvent(action, payload);
  return (
    <tr>
      <td className="nowrap">
        <At at={at} />
      </td>
      <td>
        {what}{' '}
        <span className="sm dim">
          <Name>{detail}</Name>
        </span>
      </td>
      <td>
        {pullRequest ? (
          <Link to="/$owner/$name/pull/$number" params={{ owner, name, number: String(pullRequest.number) }}>
            #{pullRequest.number}{' '}
            <span className="dim wide">
              <Name>{pullRequest.title}</Name>
            </span>
          </Link>
        ) : (
          <span className="nowrap">{subject}</span>
        )}
      </td>
      <td className="dim wide">{actor}</td>
    </tr>
  );
}

function UserActions(): ReactNode {
  const [after, setAfter] = useListPage('actions');
  const answer = useAnswer(ActivityDocument, { after });
  return (
    <AnswerView answer={answer} what="The activity">
      {({ userActions: { nodes, pageInfo } }) => {
        const [latest] = nodes;
        if (!latest)
          return (
            <Empty title="Nobody has done anything yet.">
              This list shows what people do in the dashboard and with tokens of their own. What is done through REST or
              with tokens of the account is listed in the events of a repository.
            </Empty>
          );
        return (
          <>
            <Answer>
              {latest.actor} was the last to act: {labelOf(latest.action)}
              {latest.target && ` ${latest.target}`}. <em>Everything that people did, newest first.</em>
            </Answer>
            <div className={parts['body']}>
              <table className={cx(parts['table'], parts['dated'])}>
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Who</th>
                    <th scope="col">What</th>
                    <th scope="col">Of what</th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map((action) => (
                    <UserActionItem key={`${action.timestamp}${action.action}${action.target ?? ''}`} action={action} />
                  ))}
                </tbody>
              </table>
              <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
            </div>
          </>
        );
      }}
    </AnswerView>
  );
}

type UserAction = ActivityQuery['userActions']['nodes'][number];

function UserActionItem({
  action: { timestamp, actor, action, entity, target },
}: {
  readonly action: UserAction;
}): ReactNode {
  return (
    <tr>
      <td className="nowrap">
        <At at={timestamp} />
      </td>
      <td>{actor}</td>
      <td>{sentence(action)}</td>
      <td>
        <span className="faint">{labelOf(entity)}</span> <Name>{target}</Name>
      </td>
    </tr>
  );
}
