// What a person does about a blocked pull request.
import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { isBlockedByNewestBatch } from './failed-batch.ts';
import type { QueueRef } from './queue-actions.ts';

interface NextStepProps {
  readonly queue: QueueRef;
  readonly pull: {
    readonly number: number;
    /** The newest batch first. */
    readonly batches: { readonly nodes: readonly { readonly state: string; readonly position: number }[] };
    /** The newest event first. */
    readonly events: { readonly nodes: readonly { readonly action: string }[] };
  };
}

/** Says what to do, and leads to the build that failed, if this is the reason of the block. */
export function NextStep({ pull, queue: { owner, name } }: NextStepProps): ReactNode {
  const [newest] = pull.batches.nodes;
  const hasFailed = newest?.state === 'FAILED' && isBlockedByNewestBatch(pull.events.nodes.map(({ action }) => action));
  return (
    <span>
      {hasFailed && (
        <>
          <Link
            className="link"
            to="/$owner/$name/pull/$number"
            params={{ owner, name, number: String(pull.number) }}
            search={{ tab: 'builds' }}
          >
            See what failed in batch {newest.position}
          </Link>
          .{' '}
        </>
      )}
      When the cause is gone, queue the pull request again.
    </span>
  );
}
