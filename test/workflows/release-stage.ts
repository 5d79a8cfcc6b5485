// Releases whose engine is the production worker, and the server that receives their deployments.
import { cdServer, type CdServer } from '../support/cd-server.ts';
import { releasesOf, type ReleaseOptions, type Releases } from '../support/release-world.ts';
import { engineWorld, eventually, type EngineWorld, type EngineWorldOptions } from './engine-world.ts';

export interface Stage extends AsyncDisposable {
  readonly e: EngineWorld;
  readonly r: Releases;
  readonly cd: CdServer;
  readonly until: (isSo: () => boolean | Promise<boolean>, what: string) => Promise<void>;
}

export async function stage(options: ReleaseOptions & EngineWorldOptions = {}): Promise<Stage> {
  const cd = await cdServer();
  const e = await engineWorld(options);
  const until: Stage['until'] = async (isSo, what) =>
    await eventually(async () => await isSo(), what, 45_000).catch(async (error: Error) => {
      throw new Error(`${error.message} ${JSON.stringify(await r.deployments())}`);
    });
  const http = { kind: 'http', url: cd.url, statusUrl: cd.url } as const;
  const r = await releasesOf(e.w, {
    provider: http,
    build: http,
    ...options,
    until: async (isSo) => await until(isSo, 'the line'),
  });
  return {
    e,
    r,
    cd,
    until,
    async [Symbol.asyncDispose]() {
      await e[Symbol.asyncDispose]();
      await cd[Symbol.asyncDispose]();
    },
  };
}
