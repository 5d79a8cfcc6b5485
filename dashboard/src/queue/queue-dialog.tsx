// The dialog in which a user chooses the pull request to queue.
import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { useAct } from '../app/act.tsx';
import { useAnswer } from '../app/page.tsx';
import { useSettled } from '../app/use-settled.ts';
import { Dialog } from '../design/dialog.tsx';
import { Button, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { cx } from '../design/cx.ts';
import { Name } from '../design/name.tsx';
import { OpenPullRequestsDocument, type OpenPullRequestsQuery } from '../generated/queue.ts';
import { queueAction } from './pull-request-actions.ts';
import type { QueueRef } from './queue-actions.ts';

interface QueueDialogProps {
  readonly queue: QueueRef;
  readonly onClose: () => void;
}

export function QueueDialog({ queue, onClose }: QueueDialogProps): ReactNode {
  const [text, setText] = useState('');
  const words = wordsOf(text);
  const sought = useSettled(words.join(' '));
  const { data, problem, fetching } = useAnswer(OpenPullRequestsDocument, { ...queue, text: sought });
  const { nodes = [], pageInfo } = data?.repository?.pullRequests ?? {};
  // What was found by the text before may not match the present text.
  const pulls = nodes.filter((pull) => isMatch(pull, words));
  const isFound = !fetching && problem === null && sought === words.join(' ');
  return (
    <Dialog title={`Queue into ${queue.branch}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <label className={parts['field']}>
        Number, or words of the title, author or branch
        <input
          className={parts['input']}
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {pulls.length > 0 && (
        <ul className={cx(parts['box'], parts['list'])}>
          {pulls.map((pull) => (
            <PullItem key={pull.id} pull={pull} queue={queue} onClose={onClose} />
          ))}
        </ul>
      )}
      {problem && (
        <p className="dim" role="status">
          The pull requests could not be read. {problem.sentence}
        </p>
      )}
      {pulls.length === 0 && !isFound && problem === null && (
        <p className="dim" role="status">
          Searching…
        </p>
      )}
      {isFound && pageInfo?.hasNextPage === true && <p className="dim">Others match too. Type more words.</p>}
      {pulls.length === 0 && isFound && (
        <p className="dim">
          {text === ''
            ? `No pull request into ${queue.branch} is open. Push a branch, and open its pull request.`
            : `No open pull request into ${queue.branch} has this number or these words.`}
        </p>
      )}
    </Dialog>
  );
}

/** The server refuses a longer text. */
const longestText = 200;

/** The words that the server searches for. It knows no `#` before a number. */
function wordsOf(text: string): readonly string[] {
  return text
    .slice(0, longestText)
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^#/, ''))
    .filter((word) => word !== '');
}

function isMatch({ number, title, author, headBranch }: Pull, words: readonly string[]): boolean {
  const all = `${number} ${title} ${author} ${headBranch}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

type Pull = NonNullable<OpenPullRequestsQuery['repository']>['pullRequests']['nodes'][number];

function PullItem({ pull, queue, onClose }: QueueDialogProps & { readonly pull: Pull }): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <li>
      <span className={parts['num']}>#{pull.number}</span>
      <span className="cut grow">
        <Name isLine>{pull.title}</Name>
      </span>
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
