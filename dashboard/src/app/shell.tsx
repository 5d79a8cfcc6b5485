// The frame around every page: the menu, the state of the connection, the list of keys, and the palette.
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { ActionProvider, useSay } from './act.tsx';
import { listenToKeys, useCommands, type Command } from './commands.ts';
import { ConnectionBanner } from './connection.tsx';
import { CopyProvider, useCopy } from './copy.tsx';
import { keepFocus } from './kept-focus.ts';
import { keepScroll } from './kept-scroll.ts';
import { Keys } from './keys.tsx';
import { settings, Side, Tabs, themes, usePages, type PageLink } from './menu.tsx';
import { changePreferences, usePreferences } from './preferences.ts';
import { graphiqlAddress } from './shown-query.ts';
import { useSameViewer } from './same-viewer.ts';
import {
  AllRepositories,
  pathOf,
  useAllRepositories,
  useRepository,
  useShell,
  type ShownRepository,
} from './use-shell.ts';
import styles from './shell.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

export function Shell(): ReactNode {
  return (
    <ActionProvider>
      <CopyProvider>
        <WithRepositories />
      </CopyProvider>
    </ActionProvider>
  );
}

function WithRepositories(): ReactNode {
  return (
    <AllRepositories value={useAllRepositories()}>
      <Frame />
    </AllRepositories>
  );
}

function Frame(): ReactNode {
  const shell = useShell();
  const repository = useRepository(shell);
  const pages = usePages(repository);
  const [isSearching, setSearching] = useState(false);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const say = useSay();
  useSameViewer(shell?.viewer);
  useEffect(() => listenToKeys(say), [say]);
  useEffect(keepFocus, []);
  const router = useRouter();
  useEffect(() => keepScroll(router), [router]);
  useEffect(() => listenToCtrlK(() => setSearching(true)), []);
  useShellCommands({
    repository,
    pages,
    showKeys: () => setShowingKeys(true),
    search: () => setSearching(true),
  });
  return (
    <div className={styles['app']}>
      <a className={styles['skip']} href="#main">
        Skip to the content
      </a>
      <Side shell={shell} repository={repository} pages={pages} onSearch={() => setSearching(true)} />
      <main id="main" className={styles['main']} tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </main>
      <Tabs shell={shell} repository={repository} pages={pages} onSearch={() => setSearching(true)} />
      {isSearching && (
        <Suspense>
          <Palette shell={shell} onClose={() => setSearching(false)} />
        </Suspense>
      )}
      {isShowingKeys && <Keys onClose={() => setShowingKeys(false)} />}
    </div>
  );
}

/** Returns a function that ends the listening. */
function listenToCtrlK(search: () => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    search();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

interface ShellCommands {
  readonly repository: ShownRepository | null;
  readonly pages: readonly PageLink[];
  readonly showKeys: () => void;
  readonly search: () => void;
}

function useShellCommands({ repository, pages, showKeys, search }: ShellCommands): void {
  const pageCommands = usePageCommands(repository, pages);
  const copy = useCopy();
  useCommands([
    ...pageCommands,
    { key: '/', label: 'Search', group: 'View', run: search, isMove: true },
    { key: '?', label: 'Show all keyboard shortcuts', group: 'View', run: showKeys },
    {
      key: null,
      label: 'Open the query of this page in GraphiQL',
      group: 'View',
      run: () => location.assign(graphiqlAddress()),
    },
    {
      key: 'c',
      label: 'Copy the link to this page',
      group: 'View',
      run: () => copy(location.href, 'The link to this page is copied.'),
    },
    ...usePreferenceCommands(),
  ]);
}

function usePageCommands(repository: ShownRepository | null, pages: readonly PageLink[]): Command[] {
  const navigate = useNavigate();
  const commands = [...pages, ...settings].map(
    (page): Command => ({
      key: `g ${page.key}`,
      label: `Go to ${page.label}`,
      group: 'Pages',
      run: () => void navigate({ to: page.to }),
    }),
  );
  if (repository !== null)
    commands.push({
      key: null,
      label: 'Show the queue on a screen or in a README',
      group: 'Pages',
      run: () => void navigate({ to: pathOf(repository.owner, repository.name, 'screens') }),
    });
  return commands;
}

function usePreferenceCommands(): readonly Command[] {
  const { theme, singleKeys } = usePreferences();
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return [
    {
      key: null,
      label: `Use the ${nextTheme} theme`,
      group: 'View',
      run: () => changePreferences({ theme: nextTheme }),
    },
    {
      key: null,
      label: singleKeys ? 'Turn single-key shortcuts off' : 'Turn single-key shortcuts on',
      group: 'View',
      run: () => changePreferences({ singleKeys: !singleKeys }),
    },
  ];
}
