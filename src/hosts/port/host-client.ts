// A client of the code host for one repository: the methods of the port, without their first parameter `repository`.
import type { CodeHost, Hosts } from './code-host.ts';
import { isLocalHost, type HostConversations } from './local-host-features.ts';
import type { HostRepository } from './repository.ts';

/** A repository, and the kind of host where it lives. */
export type HostedRepository = HostRepository & { readonly host: CodeHost['kind'] };

/** The part of a repository's row that calls of its host need. */
export function toHostedRepository({ accountId, id, owner, name, host }: HostedRepository): HostedRepository {
  return { accountId, id, owner, name, host };
}

type OfRepository<Method> = Method extends (repository: HostRepository, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

type Given<Host> = { readonly [Name in Exclude<keyof Host, 'kind' | 'mergedWhen'>]: OfRepository<Host[Name]> };

/** Every method of the port that has a repository as its first parameter. */
export type HostClient = Given<CodeHost>;

/** Makes the client. For example, `hostClient(ctx, repository).readRef(ref)` calls the host of the repository. */
export function hostClient({ hosts }: { readonly hosts: Hosts }, repository: HostedRepository): HostClient {
  return give(hosts(repository.host), repository);
}

/**
 * Reviews and comments that people write in Interlock. Null: the repository is not at the local host, and people review
 * and comment at its own host.
 */
export function conversationsOf(
  { hosts }: { readonly hosts: Hosts },
  repository: HostedRepository,
): Given<HostConversations> | null {
  const host = hosts(repository.host);
  return isLocalHost(host) ? give<HostConversations>(host, repository) : null;
}

function give<Host extends object>(host: Host, repository: HostRepository): Given<Host> {
  return new Proxy({} as Given<Host>, {
    get(_target, name) {
      const method = host[name as keyof Host] as (...args: readonly unknown[]) => unknown;
      return (...rest: readonly unknown[]) => method.call(host, repository, ...rest);
    },
  });
}
