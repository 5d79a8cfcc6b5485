// Finds the releases before the present commit (docs/upgrading.md), by tags such as v1.2.0. In a clone without such
// tags, a release is the commit that wrote the heading with its date into CHANGELOG.md.
import { execFileSync } from 'node:child_process';

export interface Release {
  readonly version: string;
  readonly commit: string;
}

/** The releases of the repository in the folder, oldest first. The present commit never counts as a release. */
export function earlierReleases(folder: string): Release[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const tagged = git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort', 'version:refname')
    .split('\n')
    .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
    .map((tag) => ({ version: tag.slice(1), commit: git('rev-parse', `${tag}^{commit}`) }));
  const dated = (): Release[] =>
    [...git('show', 'HEAD:CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$/gm)]
      .map(([heading, version = '']) => ({
        version,
        commit: git('log', '-1', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md'),
      }))
      .toReversed();
  const present = git('rev-parse', 'HEAD');
  return (tagged.length > 0 ? tagged : dated()).filter(({ commit }) => commit !== present);
}
