// One repository at its code host: the methods of the port, with the repository already given.
import type { CodeHost, Hosts } from './code-host.ts';
import type { HostRepository } from './repository.ts';

/** A repository, and the kind of host where it lives. */
export type HostedRepository = HostRepository & { readonly host: CodeHost['kind'] };

type OfRepository<Method> = Method extends (repository: HostRepository, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** Every method of the port that is asked about one repository. */
export type RepositoryCode = { readonly [Name in Exclude<keyof CodeHost, 'kind'>]: OfRepository<CodeHost[Name]> };

/** `codeOf(ctx, repository).readRef(ref)` asks the host of that repository. */
export function codeOf({ hosts }: { readonly hosts: Hosts }, repository: HostedRepository): RepositoryCode {
  const host = hosts(repository.host);
  return new Proxy({} as RepositoryCode, {
    get(_target, name: keyof RepositoryCode) {
      const method = host[name] as (...args: readonly unknown[]) => unknown;
      return (...rest: readonly unknown[]) => method.call(host, repository, ...rest);
    },
  });
}
