// The releases before the present commit (docs/upgrading.md): tags such as v1.2.0. A clone without any such tag has the
// dated sections of CHANGELOG.md instead, and a release is then the commit that wrote the heading with its date.
import { execFileSync } from 'node:child_process';

export interface Release {
  readonly version: string;
  readonly commit: string;
}

/** Of the repository in the folder, oldest first. The present commit does not count, also when it is a release. */
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
