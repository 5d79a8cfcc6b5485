// The menu: the side bar of a wide screen, and the tab bar of a narrow screen.
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { Dialog } from '../design/dialog.tsx';
import { Icon, Mark, type IconName } from '../design/icons.tsx';
import { labelOf } from '../design/labels.ts';
import { Kbd } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { ReleaseProjectNamesDocument, type ReleaseProjectNamesQuery, type ShellQuery } from '../generated/app.ts';
import { InstallationSign } from './installation.tsx';
import { useWholeList } from './page.tsx';
import { changePreferences, usePreferences, type Theme } from './preferences.ts';
import { graphiqlAddress } from './shown-query.ts';
import { pathOf, queuePath, useLineLength, type RepositoryName, type ShownRepository } from './use-shell.ts';
import styles from './shell.module.css';

export interface PageLink {
  readonly key: string;
  readonly label: string;
  /** The label in the tab bar of a narrow screen, if `label` is too long for it. */
  readonly shortLabel?: string;
  readonly icon: IconName;
  readonly to: string;
}

const noVariables = {};
const projectsOf = ({ releaseProjects }: ReleaseProjectNamesQuery) => releaseProjects;

/** Returns the pages of a repository, in the order of the side bar. */
export function usePages(repository: ShownRepository | null): readonly PageLink[] {
  const { data: projects = [] } = useWholeList(ReleaseProjectNamesDocument, noVariables, projectsOf);
  if (repository === null) return [{ key: 'a', label: 'Activity', icon: 'activity', to: '/activity' }];
  const pageOf = (page: string): string => pathOf(repository.owner, repository.name, page);
  const project = projects.find(
    (one) => one.repository.owner === repository.owner && one.repository.name === repository.name,
  );
  return [
    { key: 'q', label: 'Queue', icon: 'queue', to: queuePath(repository) },
    { key: 'p', label: 'Pull requests', shortLabel: 'Pulls', icon: 'pulls', to: pageOf('pulls') },
    { key: 'r', label: 'Releases', icon: 'releases', to: project ? pathOf('releases', project.name) : '/releases' },
    { key: 'b', label: 'Runbooks', icon: 'runbooks', to: pageOf('runbooks') },
    { key: 'v', label: 'Previews', icon: 'previews', to: pageOf('previews') },
    { key: 'l', label: 'Analytics', icon: 'analytics', to: pageOf('analytics') },
    { key: 'c', label: 'Configuration', icon: 'configuration', to: pageOf('configuration') },
    { key: 'a', label: 'Activity', icon: 'activity', to: '/activity' },
  ];
}

export const settings: readonly PageLink[] = [
  { key: 'w', label: 'Webhooks', icon: 'webhooks', to: '/settings/webhooks' },
  { key: 'm', label: 'People', icon: 'people', to: '/settings/people' },
  { key: 't', label: 'Tokens', icon: 'tokens', to: '/settings/tokens' },
];

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

interface MenuProps {
  readonly shell: ShellQuery | undefined;
  readonly repository: ShownRepository | null;
  /** The pages of the repository. */
  readonly pages: readonly PageLink[];
  /** If left out, the menu has no button for the search. The tab bar of a narrow screen has its own. */
  readonly onSearch?: () => void;
}

/** The side bar of a wide screen. */
export function Side({ shell, repository, pages, onSearch }: MenuProps): ReactNode {
  return (
    <nav className={styles['side']} aria-label="Main">
      <Link to="/" className={styles['brand']}>
        <Mark />
        Interlock
      </Link>
      <Menu shell={shell} repository={repository} pages={pages} onSearch={onSearch} />
    </nav>
  );
}

/** The menu: the repositories, every page, the API, the theme, and the signed-in user. */
function Menu({ shell, repository, pages, onSearch }: MenuProps): ReactNode {
  const current = shell?.repositories.nodes.find(
    (one) => one.owner === repository?.owner && one.name === repository.name,
  );
  const inLine = useLineLength(current?.id) ?? current?.queueDepth.queued;
  return (
    <div className={styles['menu']}>
      <RepositorySwitch shell={shell} repository={repository} />
      {pages.map((page) => (
        <SideLink key={page.to} page={page} badge={page.key === 'q' ? inLine : undefined} />
      ))}
      <h2>Account</h2>
      {settings.map((page) => (
        <SideLink key={page.to} page={page} />
      ))}
      <span className="grow" />
      {onSearch && <SearchButton onSearch={onSearch} />}
      <a href="/graphiql/" onClick={(event) => (event.currentTarget.href = graphiqlAddress())}>
        <Icon name="open" />
        API: GraphiQL
      </a>
      <a href="/docs/api">
        <Icon name="open" />
        API: REST
      </a>
      <ThemeChoice />
      {shell && <Viewer viewer={shell.viewer} />}
      <a href="/session">
        <Icon name="signOut" />
        Sign out…
      </a>
      <InstallationSign />
    </div>
  );
}

function SearchButton({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  return (
    <button type="button" className={styles['link']} onClick={onSearch}>
      <Icon name="search" />
      Search or act
      <span className={styles['n']}>
        <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
      </span>
    </button>
  );
}

function ThemeChoice(): ReactNode {
  const { theme } = usePreferences();
  return (
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
  );
}

function Viewer({ viewer }: { readonly viewer: ShellQuery['viewer'] }): ReactNode {
  return (
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
export function Tabs({ shell, repository, pages, onSearch }: MenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const mostUsed = pages.filter(({ key }) => ['q', 'p', 'r'].includes(key));
  return (
    <>
      <nav className={styles['tabs']} aria-label="Most used pages">
        {mostUsed.map((page) => (
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
            <Menu shell={shell} repository={repository} pages={pages} />
          </div>
        </Dialog>
      )}
    </>
  );
}
