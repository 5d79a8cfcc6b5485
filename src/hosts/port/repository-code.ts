// One repository at its code host: the methods of the port, with the repository already given.
import type { CodeHost, Hosts } from './code-host.ts';
import { isLocalForge, type HostSpeaking } from './local-forge.ts';
import type { HostRepository } from './repository.ts';

/** A repository, and the kind of host where it lives. */
export type HostedRepository = HostRepository & { readonly host: CodeHost['kind'] };

type OfRepository<Method> = Method extends (repository: HostRepository, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

type Given<Host> = { readonly [Name in Exclude<keyof Host, 'kind' | 'mergedWhen'>]: OfRepository<Host[Name]> };

/** Every method of the port that is asked about one repository. */
export type RepositoryCode = Given<CodeHost>;

/** `codeOf(ctx, repository).readRef(ref)` asks the host of that repository. */
export function codeOf({ hosts }: { readonly hosts: Hosts }, repository: HostedRepository): RepositoryCode {
  return give(hosts(repository.host), repository);
}

/** Where people speak through us. Null: the repository's host is not ours, and people speak there. */
export function speakingOf(
  { hosts }: { readonly hosts: Hosts },
  repository: HostedRepository,
): Given<HostSpeaking> | null {
  const host = hosts(repository.host);
  return isLocalForge(host) ? give<HostSpeaking>(host, repository) : null;
}

function give<Host extends object>(host: Host, repository: HostRepository): Given<Host> {
  return new Proxy({} as Given<Host>, {
    get(_target, name) {
      const method = host[name as keyof Host] as (...args: readonly unknown[]) => unknown;
      return (...rest: readonly unknown[]) => method.call(host, repository, ...rest);
    },
  });
}
