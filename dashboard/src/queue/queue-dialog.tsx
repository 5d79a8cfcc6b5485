// The dialog in which a user chooses the pull request to queue.
import { useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { useAct } from '../app/act.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Button, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { cx } from '../design/cx.ts';
import { OpenPullRequestsDocument, type OpenPullRequestsQuery } from '../generated/queue.ts';
import { queueAction } from './pull-request-actions.ts';
import type { QueueRef } from './queue-actions.ts';

interface QueueDialogProps {
  readonly queue: QueueRef;
  readonly onClose: () => void;
}

export function QueueDialog({ queue, onClose }: QueueDialogProps): ReactNode {
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
            <PullItem key={pull.id} pull={pull} queue={queue} onClose={onClose} />
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

type Pull = NonNullable<OpenPullRequestsQuery['repository']>['pullRequests']['nodes'][number];

function PullItem({ pull, queue, onClose }: QueueDialogProps & { readonly pull: Pull }): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <li>
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
  );
}
