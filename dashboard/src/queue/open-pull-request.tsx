// Opens a pull request in a repository that Interlock hosts itself. Other code hosts have pages of their own for this.
import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { queueRefusalOf, type Permission } from '../app/permitted.ts';
import { Button } from '../design/parts.tsx';
import { OpenPullRequestDocument } from '../generated/queue.ts';
import type { QueueRef } from './queue-actions.ts';

interface OpenButtonProps {
  /** The repository, and the base branch that the dialog suggests. */
  readonly queue: QueueRef;
  readonly repository: { readonly host: string; readonly active: boolean; readonly viewerCan: readonly Permission[] };
}

/** The button that opens a pull request. Nothing is drawn for a repository of another code host. */
export function OpenButton({ queue, repository }: OpenButtonProps): ReactNode {
  const act = useAct();
  const action = useOpenAction(queue);
  if (repository.host !== 'LOCAL') return null;
  const refusal = queueRefusalOf(repository);
  return (
    <Button disabled={refusal !== undefined} title={refusal} onClick={() => act(action)}>
      Open a pull request
    </Button>
  );
}

function useOpenAction({ owner, name, branch }: QueueRef): Action {
  const client = useClient();
  const navigate = useNavigate();
  return {
    title: 'Open a pull request',
    verb: 'Open',
    harms: false,
    fields: [
      { name: 'headBranch', label: 'Branch that was pushed', required: true },
      { name: 'title', label: 'Title', required: true },
      { name: 'baseBranch', label: 'Base branch', required: true, initial: branch },
    ],
    preview: null,
    run: async ({ headBranch = '', title = '', baseBranch = '' }) => {
      const { openPullRequest } = await answerOf(
        client.mutation(OpenPullRequestDocument, {
          input: {
            repository: { owner, name },
            headBranch: headBranch.trim(),
            title,
            baseBranch: baseBranch.trim(),
            body: '',
            draft: false,
          },
        }),
      );
      const { number } = openPullRequest.pullRequest;
      await navigate({ to: '/$owner/$name/pull/$number', params: { owner, name, number: String(number) } });
      return `#${number} is open.`;
    },
  };
}
