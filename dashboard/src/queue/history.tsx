// Shows every event of the log about a pull request.
import type { ReactNode } from 'react';
import { useListPage } from '../app/entry-state.ts';
import { AnswerView, useAnswer } from '../app/page.tsx';
import { useReadAfterChanges } from '../app/reader.ts';
import { Empty, Pages } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { describeEvent } from '../app/describe-event.ts';
import { PullRequestHistoryDocument, type PullRequestHistoryQuery } from '../generated/queue.ts';
import type { QueueRef } from './queue-actions.ts';

interface HistoryProps {
  readonly queue: QueueRef;
  readonly number: number;
}

export function History({ queue: { owner, name }, number }: HistoryProps): ReactNode {
  const [after, setAfter] = useListPage('history');
  const answer = useAnswer(PullRequestHistoryDocument, { owner, name, number, after }, { isOnce: true });
  useReadAfterChanges({ read: answer.refresh, fetching: answer.fetching, isOver: false });
  return (
    <AnswerView answer={answer} what="The history">
      {({ repository }) => {
        const { nodes = [], pageInfo } = repository?.pullRequest?.events ?? {};
        if (nodes.length === 0) return <Empty title="No events are recorded yet." />;
        return (
          <>
            <table className={parts['table']}>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">Who</th>
                </tr>
              </thead>
              <tbody>
                {nodes.map((event) => (
                  <EventItem key={event.cursor} event={event} />
                ))}
              </tbody>
            </table>
            <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
          </>
        );
      }}
    </AnswerView>
  );
}

type Event = NonNullable<NonNullable<PullRequestHistoryQuery['repository']>['pullRequest']>['events']['nodes'][number];

function EventItem({ event: { at, action, actor, payload } }: { readonly event: Event }): ReactNode {
  const { what, detail, subject } = describeEvent(action, payload);
  return (
    <tr>
      <td className="nowrap">
        <At at={at} />
      </td>
      <td>
        {what} <span className="sm dim">{[subject, detail].filter(Boolean).join('. ')}</span>
      </td>
      <td className="dim">{actor}</td>
    </tr>
  );
}
