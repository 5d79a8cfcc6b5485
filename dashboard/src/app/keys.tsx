// The list of keyboard shortcuts.
import type { ReactNode } from 'react';
import { useNow } from '../design/clock.ts';
import { Dialog } from '../design/dialog.tsx';
import { Button, Kbd } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { listCommands, type Command } from './commands.ts';
import styles from './shell.module.css';

export function Keys({ onClose }: { readonly onClose: () => void }): ReactNode {
  // The list is made again each second, because a page that still loads adds its keys later.
  useNow();
  return (
    // With the focus on its button, which is its last line, the dialog would begin with the end of the list.
    <Dialog title="Keyboard shortcuts" onClose={onClose} holdsFocus footer={<Button onClick={onClose}>Close</Button>}>
      {groupKeys(listCommands()).map(({ group, rows }) => (
        <section key={group} className={styles['keygroup']} aria-label={group}>
          <h3 className={parts['h']}>{group}</h3>
          <dl className={styles['keys']}>
            {rows.map(({ label, keys }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  {keys.map((key) => (
                    <span key={key}>
                      {key.split(' ').map((one) => (
                        <Kbd key={one}>{keyNames[one] ?? one}</Kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

const keyNames: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Enter: '↵',
  Escape: 'Esc',
};

interface KeyRow {
  readonly label: string;
  /** All keys that run the command. */
  readonly keys: readonly string[];
}

const keyGroups = ['This row', 'This page', 'View', 'Pages'] as const satisfies readonly Command['group'][];

/** The commands that have keys, by group. Keys of the same command share a row. */
function groupKeys(
  commands: readonly Command[],
): readonly { readonly group: string; readonly rows: readonly KeyRow[] }[] {
  return keyGroups.flatMap((group) => {
    const rows = new Map<string, string[]>(group === 'View' ? [['Search or act', ['Ctrl K']]] : []);
    for (const { key, label, group: groupOfCommand } of commands)
      if (groupOfCommand === group && key !== null) rows.set(label, [...(rows.get(label) ?? []), key]);
    return rows.size === 0 ? [] : [{ group, rows: [...rows].map(([label, keys]) => ({ label, keys })) }];
  });
}
