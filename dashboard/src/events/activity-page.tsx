// Who did what.
import { useState, type ReactNode } from 'react';
import { Shown, useAnswer, useTitle } from '../app/page.tsx';
import { Answer, Bar, Button, Empty } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { words } from '../design/words.ts';
import { ActivityDocument } from '../generated/events.ts';

export function ActivityPage(): ReactNode {
  useTitle('Activity');
  const [after, setAfter] = useState<string | null>(null);
  const answer = useAnswer(ActivityDocument, { after });
  return (
    <>
      <Bar title="Activity" />
      <Shown answer={answer} what="The activity">
        {({ userActions: { nodes, pageInfo } }) => {
          const [latest] = nodes;
          if (!latest) return <Empty title="Nobody has done anything yet." />;
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {latest.actor} was the last to act: {words(latest.action)}
                {latest.target && ` ${latest.target}`}. <em>Everything that people did, newest first.</em>
              </Answer>
              <div className={parts['body']}>
                <table className={parts['table']}>
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
                      <tr key={`${action.timestamp}${action.action}${action.target ?? ''}`}>
                        <td className="nowrap">
                          <At at={action.timestamp} />
                        </td>
                        <td>{action.actor}</td>
                        <td>{words(action.action)}</td>
                        <td>
                          <span className="faint">{words(action.entity)}</span> {action.target}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
                <div className={parts['acts']}>
                  {after !== null && <Button onClick={() => setAfter(null)}>Newest</Button>}
                  {pageInfo.hasNextPage && <Button onClick={() => setAfter(pageInfo.endCursor ?? null)}>Older</Button>}
                </div>
              </div>
            </div>
          );
        }}
      </Shown>
    </>
  );
}
