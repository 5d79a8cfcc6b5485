// Shows the version of the installation, and which of its parts do not work.
import { useEffect, type ReactNode } from 'react';
import { useQuery } from 'urql';
import parts from '../design/parts.module.css';
import { InstallationDocument } from '../generated/app.ts';
import type { Command } from './commands.ts';
import { cx } from '../design/cx.ts';
import styles from './shell.module.css';

const readEveryMs = 30_000;

/** The sign at the foot of the side bar. A hidden tab does not read it again. */
export function InstallationSign(): ReactNode {
  const [{ data }, read] = useQuery({ query: InstallationDocument });
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) read({ requestPolicy: 'network-only' });
    }, readEveryMs);
    return () => clearInterval(timer);
  }, [read]);
  if (!data) return null;
  return (
    <div className={styles['installation']}>
      <div role="status">
        {data.installation.parts
          .filter(({ well }) => !well)
          .map(({ name, sentence }) => (
            <p key={name} className={cx(parts['next'], parts['red'])}>
              {sentence}
            </p>
          ))}
      </div>
      <p className="xs faint">Interlock {data.installation.version}</p>
    </div>
  );
}

/** Makes the command that opens a workflow in Temporal's UI. `what` is the thing that the workflow works on. */
export function temporalCommand(what: string, url: string | null | undefined): Command {
  return {
    key: 'w',
    label: `Open the workflow of ${what} in Temporal`,
    group: 'View',
    run: () => void window.open(url ?? undefined, '_blank', 'noopener'),
    disabled:
      url === undefined
        ? 'There is no workflow to open yet.'
        : url === null
          ? 'The address of the UI of Temporal is not configured (TEMPORAL_UI_URL).'
          : undefined,
  };
}
