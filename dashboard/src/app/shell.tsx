// The frame around every page: the menu, the state of the connection, the list of keys, and the palette.
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { useNow } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Dialog } from '../design/dialog.tsx';
import { Icon, Mark, type IconName } from '../design/icons.tsx';
import { Banner, Button, Kbd } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { describeDuration, describeInstant } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import { ActionProvider, useSay } from './act.tsx';
import { listCommands, listenToKeys, useCommands, type Command } from './commands.ts';
import { ShellDocument, type ShellQuery } from '../generated/app.ts';
import { InstallationSign } from './installation.tsx';
import { retryNow, useConnection } from './live.ts';
import { graphiqlAddress } from './shown-query.ts';
import { changePreferences, readPreferences, usePreferences, type Theme } from './preferences.ts';
import styles from './shell.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

type RepositoryName = { readonly owner: string; readonly name: string };

/**
 * Reads what every page needs: the viewer, the repositories and the release projects. Undefined until the answer
 * arrives.
 */
export function useShell(): ShellQuery | undefined {
  const [{ data }] = useQuery({ query: ShellDocument });
  return data;
}

/**
 * Returns the repository in the address, otherwise the repository of the last visited queue, otherwise the first
 * repository.
 */
export function useRepository(shell: ShellQuery | undefined): (RepositoryName & { readonly branch: string }) | null {
  const { owner, name, _splat } = useParams({ strict: false });
  const repositories = shell?.repositories.nodes ?? [];
  const [, lastOwner, lastName] = readPreferences().lastQueue?.split('/') ?? [];
  const found =
    repositories.find((one) => one.owner === owner && one.name === name) ??
    repositories.find((one) => one.owner === lastOwner && one.name === lastName) ??
    repositories[0];
  if (owner !== undefined && name !== undefined)
    return { owner, name, branch: _splat ?? found?.defaultBranch ?? 'main' };
  return found ? { owner: found.owner, name: found.name, branch: found.defaultBranch } : null;
}

export function Shell(): ReactNode {
  return (
    <ActionProvider>
      <Frame />
    </ActionProvider>
  );
}

function Frame(): ReactNode {
  const shell = useShell();
  const repository = useRepository(shell);
  const [isSearching, setSearching] = useState(false);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const say = useSay();
  useEffect(() => listenToKeys(say), [say]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setSearching(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useShellCommands({
    shell,
    repository,
    showKeys: () => setShowingKeys(true),
    search: () => setSearching(true),
  });
  return (
    <div className={styles['app']}>
      <a className={styles['skip']} href="#main">
        Skip to the content
      </a>
      <Side shell={shell} repository={repository} onSearch={() => setSearching(true)} />
      <main id="main" className={styles['main']} tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </main>
      <Tabs shell={shell} repository={repository} onSearch={() => setSearching(true)} />
      {isSearching && (
        <Suspense>
          <Palette shell={shell} onClose={() => setSearching(false)} />
        </Suspense>
      )}
      {isShowingKeys && <Keys onClose={() => setShowingKeys(false)} />}
    </div>
  );
}

interface PageLink {
  readonly key: string;
  readonly label: string;
  /** The label in the tab bar of a narrow screen, if `label` is too long for it. */
  readonly shortLabel?: string;
  readonly icon: IconName;
  readonly to: string;
}

/** The pages of a repository, in the order of the side bar. */
function listPages(
  repository: (RepositoryName & { readonly branch: string }) | null,
  shell: ShellQuery | undefined,
): readonly PageLink[] {
  if (repository === null) return [{ key: 'a', label: 'Activity', icon: 'activity', to: '/activity' }];
  const base = `/${repository.owner}/${repository.name}`;
  const project = shell?.releaseProjects.nodes.find(
    (one) => one.repository.owner === repository.owner && one.repository.name === repository.name,
  );
  return [
    { key: 'q', label: 'Queue', icon: 'queue', to: `${base}/queue/${repository.branch}` },
    { key: 'p', label: 'Pull requests', shortLabel: 'Pulls', icon: 'pulls', to: `${base}/pulls` },
    { key: 'r', label: 'Releases', icon: 'releases', to: project ? `/releases/${project.name}` : '/releases' },
    { key: 'b', label: 'Runbooks', icon: 'runbooks', to: `${base}/runbooks` },
    { key: 'v', label: 'Previews', icon: 'previews', to: `${base}/previews` },
    { key: 'l', label: 'Analytics', icon: 'analytics', to: `${base}/analytics` },
    { key: 'c', label: 'Configuration', icon: 'configuration', to: `${base}/configuration` },
    { key: 'a', label: 'Activity', icon: 'activity', to: '/activity' },
  ];
}

const settings: readonly PageLink[] = [
  { key: 'w', label: 'Webhooks', icon: 'webhooks', to: '/settings/webhooks' },
  { key: 'm', label: 'People', icon: 'people', to: '/settings/people' },
  { key: 't', label: 'Tokens', icon: 'tokens', to: '/settings/tokens' },
];

const themes: readonly Theme[] = ['system', 'light', 'dark'];

function useShellCommands({
  shell,
  repository,
  showKeys,
  search,
}: {
  readonly shell: ShellQuery | undefined;
  readonly repository: (RepositoryName & { readonly branch: string }) | null;
  readonly showKeys: () => void;
  readonly search: () => void;
}): void {
  const navigate = useNavigate();
  const say = useSay();
  const { theme, singleKeys } = usePreferences();
  const pages = [...listPages(repository, shell), ...settings];
  const commands: Command[] = pages.map((page) => ({
    key: `g ${page.key}`,
    label: `Go to ${page.label}`,
    group: 'Pages',
    run: () => void navigate({ to: page.to }),
  }));
  if (repository !== null)
    commands.push({
      key: null,
      label: 'Show the queue on a screen or in a README',
      group: 'Pages',
      run: () => void navigate({ to: `/${repository.owner}/${repository.name}/screens` }),
    });
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const copyLink = async (): Promise<void> => {
    await navigator.clipboard.writeText(location.href);
    say('The link to this page is copied.');
  };
  useCommands([
    ...commands,
    { key: '/', label: 'Search', group: 'View', run: search, isMove: true },
    { key: '?', label: 'Show all keyboard shortcuts', group: 'View', run: showKeys },
    {
      key: null,
      label: 'Open the query of this page in GraphiQL',
      group: 'View',
      run: () => location.assign(graphiqlAddress()),
    },
    { key: 'c', label: 'Copy the link to this page', group: 'View', run: () => void copyLink() },
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
  ]);
}

function Side({ shell, repository, onSearch }: MenuProps): ReactNode {
  return (
    <nav className={styles['side']} aria-label="Main">
      <Link to="/" className={styles['brand']}>
        <Mark />
        Interlock
      </Link>
      <Menu shell={shell} repository={repository} onSearch={onSearch} />
    </nav>
  );
}

interface MenuProps {
  readonly shell: ShellQuery | undefined;
  readonly repository: (RepositoryName & { readonly branch: string }) | null;
  /** If left out, the menu has no button for the search. The tab bar of a narrow screen has its own. */
  readonly onSearch?: () => void;
}

/** The menu: the repositories, every page, the API, the theme, and the signed-in user. */
function Menu({ shell, repository, onSearch }: MenuProps): ReactNode {
  const viewer = shell?.viewer;
  const { theme } = usePreferences();
  const current = shell?.repositories.nodes.find(
    (one) => one.owner === repository?.owner && one.name === repository.name,
  );
  return (
    <div className={styles['menu']}>
      <RepositorySwitch shell={shell} repository={repository} />
      {listPages(repository, shell).map((page) => (
        <SideLink key={page.to} page={page} badge={page.key === 'q' ? current?.queueDepth.queued : undefined} />
      ))}
      <h2>Account</h2>
      {settings.map((page) => (
        <SideLink key={page.to} page={page} />
      ))}
      <span className="grow" />
      {onSearch && (
        <button type="button" className={styles['link']} onClick={onSearch}>
          <Icon name="search" />
          Search or act
          <span className={styles['n']}>
            <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
          </span>
        </button>
      )}
      <a href="/graphiql/" onClick={(event) => (event.currentTarget.href = graphiqlAddress())}>
        <Icon name="open" />
        API: GraphiQL
      </a>
      <a href="/docs/api">
        <Icon name="open" />
        API: REST
      </a>
      <label className={styles['link']}>
        <Icon name="sun" />
        <span className="grow">Theme</span>
        <select
          className={parts['select']}
          value={theme}
          onChange={(event) => changePreferences({ theme: event.currentTarget.value as Theme })}
        >
          {themes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {viewer && (
        <div className={styles['me']}>
          <span className={styles['avatar']} aria-hidden="true">
            {(viewer.handle ?? viewer.email ?? '?').slice(0, 2)}
          </span>
          <span className="cut" title={viewer.email ?? undefined}>
            {viewer.handle ?? viewer.email}
          </span>
          <span className="grow" />
          <span className="xs faint">{labelOf(viewer.role)}</span>
        </div>
      )}
      <InstallationSign />
    </div>
  );
}

function SideLink({ page, badge }: { readonly page: PageLink; readonly badge?: number | undefined }): ReactNode {
  return (
    <Link to={page.to} activeOptions={{ includeSearch: false }} title={`g ${page.key}`}>
      <Icon name={page.icon} />
      {page.label}
      {badge !== undefined && <span className={styles['n']}>{badge}</span>}
    </Link>
  );
}

function RepositorySwitch({
  shell,
  repository,
}: {
  readonly shell: ShellQuery | undefined;
  readonly repository: RepositoryName | null;
}): ReactNode {
  const navigate = useNavigate();
  const repositories = shell?.repositories.nodes ?? [];
  if (repository === null || repositories.length === 0) return null;
  return (
    <select
      className={styles['repository']}
      aria-label="Repository"
      value={`${repository.owner}/${repository.name}`}
      onChange={(event) => {
        const chosen = repositories.find((one) => `${one.owner}/${one.name}` === event.currentTarget.value);
        if (!chosen) return;
        void navigate({
          to: '/$owner/$name/queue/$',
          params: { owner: chosen.owner, name: chosen.name, _splat: chosen.defaultBranch },
        });
      }}
    >
      {repositories.map((one) => (
        <option key={one.id}>{`${one.owner}/${one.name}`}</option>
      ))}
    </select>
  );
}

/** The tab bar of a narrow screen: three pages, the search, and a dialog with the whole menu. */
function Tabs({ shell, repository, onSearch }: MenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const pages = listPages(repository, shell).filter(({ key }) => ['q', 'p', 'r'].includes(key));
  return (
    <>
      <nav className={styles['tabs']} aria-label="Most used pages">
        {pages.map((page) => (
          <Link key={page.to} to={page.to}>
            <Icon name={page.icon} />
            {page.shortLabel ?? page.label}
          </Link>
        ))}
        <button type="button" onClick={onSearch}>
          <Icon name="search" />
          Search
        </button>
        <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="activity" />
          More
        </button>
      </nav>
      {isOpen && (
        <Dialog title="All pages" onClose={() => setOpen(false)}>
          {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events -- Enter on a link is a click too. */}
          <div
            onClick={({ target }) => {
              if (target instanceof Element && target.closest('a') !== null) setOpen(false);
            }}
          >
            <Menu shell={shell} repository={repository} />
          </div>
        </Dialog>
      )}
    </>
  );
}

const bannerAfterMs = 1_000;

function ConnectionBanner(): ReactNode {
  const { state, offSince, retryAt, caughtUp } = useConnection();
  const now = useNow();
  if (state === 'live' && caughtUp !== null)
    return <Banner tone="green">Live again. {count(caughtUp, 'new change')}.</Banner>;
  if (state !== 'off' || offSince === null || now - offSince < bannerAfterMs) return null;
  return (
    <Banner tone="red" action={<Button onClick={retryNow}>Try now</Button>}>
      Not live since {describeInstant(offSince, now)}. The page shows what it last received. The next attempt is in{' '}
      {describeDuration(Math.max(0, (retryAt ?? now) - now))}.
    </Banner>
  );
}

/** Shows whether the page changes by itself when something happens. */
export function LiveSign(): ReactNode {
  const { state } = useConnection();
  if (state === 'idle') return null;
  return (
    <span className={cx(parts['live'], state === 'off' && parts['off'])}>{state === 'off' ? 'Not live' : 'Live'}</span>
  );
}

function Keys({ onClose }: { readonly onClose: () => void }): ReactNode {
  // The list is made again each second, because a page that still loads adds its keys later.
  useNow();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
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
