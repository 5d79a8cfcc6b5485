// Makes runs for providers, on a local host with real git.
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { createProviders, type SupervisedProvider, type ProviderRun } from '../../src/platform/providers/index.ts';
import type { RemoteProvider } from '../../src/platform/providers/index.ts';
import { findSandbox, type Sandbox } from '../../src/platform/sandbox/index.ts';
import { keyOfSecret, type SigningKeys } from '../../src/domain/events/signature.ts';
import type { ProviderSettings } from '../../src/domain/releases/release.ts';
import { localWorld, type LocalWorld } from '../hosts/local-world.ts';

type Network = boolean | (() => Promise<boolean>);

export interface ProviderWorld extends AsyncDisposable {
  readonly local: LocalWorld;
  readonly command: (options?: { readonly sandbox?: Sandbox | null; readonly network?: Network }) => SupervisedProvider;
  readonly http: RemoteProvider;
  readonly actions: RemoteProvider;
  run(settings: ProviderSettings, more?: Partial<ProviderRun>): ProviderRun;
}

export const facts = {
  deployment_id: '12',
  environment: 'production',
  release_candidate_version: 'shop-1.1-rc2',
  from_release_candidate_version: 'shop-1.0-rc1',
};

export const accountKeys: SigningKeys = { current: keyOfSecret("the account's own"), next: null, previous: null };

export async function providerWorld(workDir: string): Promise<ProviderWorld> {
  const local = await localWorld();
  const { sandbox: best } = await findSandbox({ allowPlain: true });
  const http = createHttpOut({ allowPrivateAddresses: true });
  const providers = ({ sandbox = best, network = true }: { sandbox?: Sandbox | null; network?: Network } = {}) =>
    createProviders({
      hosts: () => local.host,
      sandbox,
      network,
      workDir,
      http,
      clock: () => new Date(),
      accountKeys: async () => accountKeys,
    });
  const remote = (kind: 'http' | 'github_actions'): RemoteProvider => {
    const provider = providers()(kind);
    if (provider.shape !== 'remote') throw new Error(`${kind} is not asked`);
    return provider;
  };
  const head = local.commit({ branch: 'main', files: { 'version.txt': '1.1\n' } });
  return {
    local,
    command(options) {
      const provider = providers(options)('command');
      if (provider.shape !== 'supervised') throw new Error('command is not supervised');
      return provider;
    },
    http: remote('http'),
    actions: remote('github_actions'),
    run: (settings, more = {}) => ({
      accountId: local.repository.accountId,
      key: 'deployment-12',
      settings,
      secret: null,
      repository: { ...local.repository, host: 'local' },
      commit: head,
      facts,
      ...more,
    }),
    async [Symbol.asyncDispose]() {
      http.close();
      await local.close();
    },
  };
}
