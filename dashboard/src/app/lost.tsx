// Pages for an address that leads nowhere, and for a page that failed.
import type { ReactNode } from 'react';
import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { Bar, Empty, Failure } from '../design/parts.tsx';

export function Lost(): ReactNode {
  return (
    <>
      <Bar title="Not found" />
      <Empty title="There is no page at this address.">
        <Link to="/" className="blue">
          Back to the queue
        </Link>
      </Empty>
    </>
  );
}

export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Failure title="This page could not be shown." retry={reset}>
      {error instanceof Error ? error.message : 'Reload the page.'}
    </Failure>
  );
}
