// The dialog in which a user chooses the pull request to queue.
import { useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { useAct } from '../app/act.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Button, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { cx } from '../design/cx.ts';
import { OpenPullRequestsDocument } from '../generated/queue.ts';
import { queueAction, type QueueRef } from './actions.ts';

export function QueueDialog({ queue, onClose }: { readonly queue: QueueRef; readonly onClose: () => void }): ReactNode {
  const client = useClient();
  const act = useAct();
  const [text, setText] = useState('');
  const [{ data, fetching }] = useQuery({
    query: OpenPullRequestsDocument,
    variables: queue,
    requestPolicy: 'cache-and-network',
  });
  const sought = text.toLowerCase();
  const pulls = (data?.repository?.pullRequests.nodes ?? []).filter(({ number, title }) =>
    `#${number} ${title}`.toLowerCase().includes(sought),
  );
  return (
    <Dialog title={`Queue into ${queue.branch}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <label className={parts['field']}>
        Number, or words of the title
        <input
          className={parts['input']}
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {pulls.length > 0 && (
        <ul className={cx(parts['box'], parts['list'])}>
          {pulls.slice(0, 12).map((pull) => (
            <li key={pull.id}>
              <span className={parts['num']}>#{pull.number}</span>
              <span className="cut grow">{pull.title}</span>
              {pull.status === 'BLOCKED' && <Pill tone="red">blocked</Pill>}
              <Button
                onClick={() => {
                  onClose();
                  act(queueAction(client, queue, pull));
                }}
              >
                Queue…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {pulls.length === 0 && !fetching && (
        <p className="dim">
          {text === ''
            ? `No pull request into ${queue.branch} is open. Push a branch, and open its pull request.`
            : `No open pull request into ${queue.branch} has this number or these words in its title.`}
        </p>
      )}
    </Dialog>
  );
}
