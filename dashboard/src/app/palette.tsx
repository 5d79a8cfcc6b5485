// The palette, which lists every command of the page, every queue, and what the server finds by words. When an action
// has been highlighted for a moment, the palette reads and shows the preview of the action. The palette is a combobox
// over a list box, as WAI-ARIA describes it.
import { useEffect, useId, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { Dialog } from '../design/dialog.tsx';
import { Icon } from '../design/icons.tsx';
import { Kbd } from '../design/parts.tsx';
import { labelOf, personOf } from '../design/labels.ts';
import { listCommands } from './commands.ts';
import { SearchDocument, type ShellQuery } from '../generated/app.ts';
import { RefusedError } from './act.tsx';
import styles from './palette.module.css';

interface Choice {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly hint: string | null;
  readonly key: string | null;
  readonly run: () => void;
  readonly preview?: (() => Promise<string>) | undefined;
}

const previewAfterMs = 150;
const searchAfterMs = 150;
const maxEntriesOfGroup = 8;
/** The server refuses a search text that is longer or has more words. */
const longestText = 200;
const maxWords = 10;

/**
 * Reads what the server finds in the repository of the page, or in the whole account if the page has no repository.
 * Releases are always searched in the whole account.
 */
function useSearch(text: string): SearchResult {
  const { owner, name } = useParams({ strict: false });
  const navigate = useNavigate();
  const typed = searchText(text);
  const [searched, setSearched] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearched(typed), searchAfterMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const repository = useMemo(() => (owner === undefined || name === undefined ? null : { owner, name }), [owner, name]);
  const [{ data, fetching }] = useQuery({
    query: SearchDocument,
    variables: { text: searched, repository },
    pause: searched === '' || typed === '',
  });
  const choices = useMemo(() => {
    if (data === undefined) return [];
    const { pullRequests, runbooks } = data.here;
    const { environments, releaseCandidates } = data.search;
    const release = (id: string, label: string, hint: string, project: string): Choice =>
      place(id, 'Releases', label, hint, () => void navigate({ to: '/releases/$project', params: { project } }));
    return [
      ...pullRequests.map(({ id, number, title, status, author, repository: of }) => {
        const hint = `${labelOf(status)}, ${personOf(author)}${repository === null ? `, ${of.owner}/${of.name}` : ''}`;
        return place(id, 'Pull requests', `#${number} ${title}`, hint, () => {
          const params = { owner: of.owner, name: of.name, number: String(number) };
          void navigate({ to: '/$owner/$name/pull/$number', params });
        });
      }),
      ...(runbooks ?? []).map(({ id, number, title, status }) =>
        place(id, 'Runbooks', `${number} ${title}`, `runbook, ${labelOf(status)}`, () => {
          void navigate({ to: '/runbooks/$number', params: { number: String(number) } });
        }),
      ),
      ...(environments ?? []).map(({ id, name: environment, project }) =>
        release(id, `${project.name} ${environment}`, 'environment', project.name),
      ),
      ...(releaseCandidates ?? []).map(({ id, version, status, project }) =>
        release(id, `${project.name} ${version}`, `candidate, ${labelOf(status)}`, project.name),
      ),
    ];
  }, [data, navigate, repository]);
  return { choices: typed === '' ? [] : choices, isOfText: typed === searched && !fetching };
}

interface SearchResult {
  readonly choices: readonly Choice[];
  /** Whether the server found the choices by the present text. If false, it found them by an earlier text. */
  readonly isOfText: boolean;
}

function searchText(text: string): string {
  return text.split(/\s+/).filter(Boolean).slice(0, maxWords).join(' ').slice(0, longestText);
}

function place(id: string, group: string, label: string, hint: string, run: () => void): Choice {
  return { id, group, label, hint, key: null, run };
}

interface PaletteProps {
  readonly shell: ShellQuery | undefined;
  readonly onClose: () => void;
}

export function Palette({ shell, onClose }: PaletteProps): ReactNode {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const [previewed, setPreviewed] = useState<{ readonly id: string; readonly sentence: string } | null>(null);
  const choices = useChoices(text, shell);
  const id = useId();
  const chosen = choices[Math.min(index, choices.length - 1)];

  const ask = (choice: Choice | undefined): void => {
    choice?.preview?.().then(
      (sentence) => setPreviewed({ id: choice.id, sentence }),
      (error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        setPreviewed({ id: choice.id, sentence: error.problem.sentence });
      },
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => ask(chosen), previewAfterMs);
    return () => clearTimeout(timer);
  }, [chosen?.id]);

  const run = (choice: Choice | undefined): void => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setIndex(Math.min(index + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(index - 1, 0));
    else if (event.key === 'Enter' && event.altKey) ask(chosen);
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  };

  const groups = [...new Set(choices.map(({ group }) => group))];
  return (
    <Dialog title={<span className="hidden">Search or act</span>} onClose={onClose} className={styles['palette']}>
      <div className={styles['input']}>
        <Icon name="search" className="faint" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-activedescendant={chosen && `${id}${chosen.id}`}
          aria-label="Search or act"
          placeholder="A number, words, or what you want to do"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setIndex(0);
          }}
        />
        <Kbd>Esc</Kbd>
      </div>
      <div id={`${id}list`} role="listbox" aria-label="Choices" className={styles['list']}>
        {groups.map((group) => (
          <div key={group} role="group" aria-label={group}>
            <p className={styles['group']} aria-hidden="true">
              {group}
            </p>
            {choices
              .filter((choice) => choice.group === group)
              .map((choice) => (
                <div
                  key={choice.id}
                  id={`${id}${choice.id}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={choice === chosen}
                  className={styles['choice']}
                  onMouseMove={() => setIndex(choices.indexOf(choice))}
                  onClick={() => run(choice)}
                  onKeyDown={() => undefined}
                >
                  <span className="cut">
                    {choice.label}{' '}
                    <span className={styles['hint']}>
                      {previewed?.id === choice.id ? previewed.sentence : choice.hint}
                    </span>
                  </span>
                  <span className="grow" />
                  {choice.key !== null && <Kbd>{choice.key}</Kbd>}
                </div>
              ))}
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className={styles['none']}>Nothing matches.</p>}
      <p className={styles['footer']}>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> choose
        </span>
        <span>
          <Kbd>↵</Kbd> do
        </span>
        <span>
          <Kbd>Alt</Kbd> <Kbd>↵</Kbd> preview only
        </span>
      </p>
    </Dialog>
  );
}

function useChoices(text: string, shell: ShellQuery | undefined): readonly Choice[] {
  const navigate = useNavigate();
  const found = useSearch(text);
  return useMemo(() => {
    const commands = listCommands()
      .filter((command) => command.isMove !== true)
      .map(
        (command, index): Choice => ({
          id: `command${index}`,
          group: command.group,
          label: command.label,
          hint: command.disabled ?? null,
          key: command.key,
          run: command.disabled === undefined ? command.run : () => undefined,
          preview: command.disabled === undefined ? command.preview : undefined,
        }),
      );
    const queues = (shell?.repositories.nodes ?? []).flatMap((repository) =>
      repository.queues.map(
        (queue): Choice => ({
          id: queue.id,
          group: 'Queues',
          label: `${repository.owner}/${repository.name} ${queue.baseBranch}`,
          hint: `${repository.queueDepth.queued} in line`,
          key: null,
          run: () =>
            void navigate({
              to: '/$owner/$name/queue/$',
              params: { owner: repository.owner, name: repository.name, _splat: queue.baseBranch },
            }),
        }),
      ),
    );
    const sought = text.toLowerCase().trim().split(/\s+/);
    const isMatch = ({ label, hint }: Choice): boolean =>
      sought.every((word) => `${label} ${hint ?? ''}`.toLowerCase().includes(word));
    const matching = [
      ...commands.filter(isMatch),
      ...(found.isOfText ? found.choices : found.choices.filter(isMatch)),
      ...queues.filter(isMatch),
    ];
    const taken = new Map<string, number>();
    const order = ['This row', 'Pull requests', 'This page', 'Runbooks', 'Releases', 'Pages', 'Queues', 'View'];
    return matching
      .filter(({ group }) => {
        taken.set(group, (taken.get(group) ?? 0) + 1);
        return (taken.get(group) ?? 0) <= maxEntriesOfGroup;
      })
      .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
  }, [text, found, shell, navigate]);
}
