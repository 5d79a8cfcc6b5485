// What the palette offers for a text: commands of the page, what the server finds, and queues.
import { useEffect, useMemo, useState } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { labelOf, personOf } from '../design/labels.ts';
import { SearchDocument, type SearchQuery, type ShellQuery } from '../generated/app.ts';
import { listCommands } from './commands.ts';
import type { Problem } from './errors.ts';
import { useAnswer } from './page.tsx';

export interface Choice {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly hint: string | null;
  readonly key: string | null;
  readonly run: () => void;
  readonly preview?: (() => Promise<string>) | undefined;
}

const searchAfterMs = 150;
const maxEntriesOfGroup = 8;
/** The server refuses a search text that is longer or has more words. */
const longestText = 200;
const maxWords = 10;

interface Choices {
  readonly choices: readonly Choice[];
  /** What the palette says below the choices. Null: nothing. */
  readonly note: string | null;
}

/** Returns what matches the text: commands of the page, what the server finds, and queues. */
export function useChoices(text: string, shell: ShellQuery | undefined): Choices {
  const navigate = useNavigate();
  const found = useSearch(text);
  const choices = useMemo(() => {
    const open = (owner: string, name: string, branch: string): void =>
      void navigate({ to: '/$owner/$name/queue/$', params: { owner, name, _splat: branch } });
    const sought = text.toLowerCase().trim().split(/\s+/);
    const isMatch = ({ label, hint }: Choice): boolean =>
      sought.every((word) => `${label} ${hint ?? ''}`.toLowerCase().includes(word));
    const matching = [
      ...commandChoices().filter(isMatch),
      ...(found.isOfText ? found.choices : found.choices.filter(isMatch)),
      ...queueChoices(shell, open).filter(isMatch),
    ];
    const taken = new Map<string, number>();
    return matching
      .filter(({ group }) => {
        taken.set(group, (taken.get(group) ?? 0) + 1);
        return (taken.get(group) ?? 0) <= maxEntriesOfGroup;
      })
      .sort((a, b) => groupOrder.indexOf(a.group) - groupOrder.indexOf(b.group));
  }, [text, found, shell, navigate]);
  return { choices, note: noteOf(found, choices.length === 0) };
}

function noteOf({ problem, isOfText }: SearchResult, isNothing: boolean): string | null {
  if (problem !== null) return `What the server has could not be searched. ${problem.sentence}`;
  if (!isNothing) return null;
  return isOfText ? 'Nothing matches.' : 'Searching…';
}

const groupOrder = ['This row', 'Pull requests', 'This page', 'Runbooks', 'Releases', 'Pages', 'Queues', 'View'];

function commandChoices(): readonly Choice[] {
  return listCommands()
    .filter((command) => command.isMove !== true)
    .map((command, index) => ({
      id: `command${index}`,
      group: command.group,
      label: command.label,
      hint: command.disabled ?? null,
      key: command.key,
      run: command.disabled === undefined ? command.run : () => undefined,
      preview: command.disabled === undefined ? command.preview : undefined,
    }));
}

function queueChoices(
  shell: ShellQuery | undefined,
  open: (owner: string, name: string, branch: string) => void,
): readonly Choice[] {
  return (shell?.repositories.nodes ?? []).flatMap(({ owner, name, queues, queueDepth }) =>
    queues.map(({ id, baseBranch }) => ({
      id,
      group: 'Queues',
      label: `${owner}/${name} ${baseBranch}`,
      hint: `${queueDepth.queued} in line`,
      key: null,
      run: () => open(owner, name, baseBranch),
    })),
  );
}

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
  const { data, problem, fetching } = useAnswer(
    SearchDocument,
    { text: searched, repository },
    { pause: searched === '' || typed === '', requestPolicy: 'cache-first', isOnce: true },
  );
  const choices = useMemo(
    () => (data === undefined ? [] : choicesFound(data, navigate, repository === null)),
    [data, navigate, repository],
  );
  return {
    choices: typed === '' ? [] : choices,
    isOfText: typed === searched && !fetching,
    problem: typed === '' ? null : problem,
  };
}

interface SearchResult {
  readonly choices: readonly Choice[];
  /** Whether the server found the choices by the present text. If false, it found them by an earlier text. */
  readonly isOfText: boolean;
  /** Why the server found nothing. Null: it was able to search. */
  readonly problem: Problem | null;
}

function searchText(text: string): string {
  return text.split(/\s+/).filter(Boolean).slice(0, maxWords).join(' ').slice(0, longestText);
}

/** `namesRepository`: the choices are of several repositories, so each names its own. */
function choicesFound(
  { here: { pullRequests, runbooks }, search: { environments, releaseCandidates } }: SearchQuery,
  navigate: ReturnType<typeof useNavigate>,
  namesRepository: boolean,
): readonly Choice[] {
  const openProject = (project: string) => (): void => void navigate({ to: '/releases/$project', params: { project } });
  return [
    ...pullRequests.map(({ id, number, title, status, author, repository: { owner, name } }) => ({
      id,
      group: 'Pull requests',
      label: `#${number} ${title}`,
      hint: `${labelOf(status)}, ${personOf(author)}${namesRepository ? `, ${owner}/${name}` : ''}`,
      key: null,
      run: () => void navigate({ to: '/$owner/$name/pull/$number', params: { owner, name, number: String(number) } }),
    })),
    ...(runbooks ?? []).map(({ id, number, title, status }) => ({
      id,
      group: 'Runbooks',
      label: `${number} ${title}`,
      hint: `runbook, ${labelOf(status)}`,
      key: null,
      run: () => void navigate({ to: '/runbooks/$number', params: { number: String(number) } }),
    })),
    ...(environments ?? []).map(({ id, name, project }) => ({
      id,
      group: 'Releases',
      label: `${project.name} ${name}`,
      hint: 'environment',
      key: null,
      run: openProject(project.name),
    })),
    ...(releaseCandidates ?? []).map(({ id, version, status, project }) => ({
      id,
      group: 'Releases',
      label: `${project.name} ${version}`,
      hint: `candidate, ${labelOf(status)}`,
      key: null,
      run: openProject(project.name),
    })),
  ];
}
