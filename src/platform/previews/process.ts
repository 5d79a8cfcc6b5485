// Previews as processes of this worker, in the same sandbox as checks: without a network, and with this machine's tools
// read-only. The only way to the app is a socket, which listens outside and is passed to the supervisor inside. These
// previews end with the worker.
import { tmpdir } from 'node:os';
import { removeAbandonedFolders } from '../sandbox/index.ts';
import { bootProcess, type ProcessLife, type ProcessOptions, type ProcessLimits } from './process-life.ts';
import { BootFailed, type PreviewSandboxes } from './port.ts';

const defaultLimits: ProcessLimits = {
  memoryBytes: 4 * 1024 ** 3,
  teardownTimeoutMs: 60_000,
};

const noSandbox =
  'This worker has no sandbox for previews. Install bubblewrap (apt-get install bubblewrap), or allow user namespaces.';

export function createProcessSandboxes(options: ProcessOptions): PreviewSandboxes {
  const { sandbox, hosts, directories } = options;
  const workDir = options.workDir ?? tmpdir();
  const limits = options.limits ?? defaultLimits;
  const lives = new Map<string, ProcessLife>();

  async function destroy(name: string): Promise<void> {
    await lives.get(name)?.end();
  }

  return {
    kind: 'process',
    async refusal(kind) {
      if (kind === 'docker') return 'An image of docker needs a docker daemon.';
      if (sandbox === null) return noSandbox;
      if (kind === 'directory' && directories.length === 0)
        return 'No directory may be an image here: the operator names them by PREVIEW_IMAGE_DIRECTORIES.';
      return null;
    },
    async boot(boot, supervision) {
      const refused = await this.refusal(boot.image.kind);
      if (sandbox === null || refused !== null) throw new BootFailed(refused ?? noSandbox);
      await destroy(boot.name);
      const life = bootProcess({ hosts, sandbox, directories, workDir, limits }, boot, supervision);
      lives.set(boot.name, life);
      void life.gone.then(() => lives.get(boot.name) === life && lives.delete(boot.name));
      return await life.ready;
    },
    async list() {
      // Removes the folders of workers that were killed. Their sandboxes ended with them. A folder that cannot be
      // removed must not make `list` fail.
      await removeAbandonedFolders(workDir).catch(() => {});
      return [...lives.keys()];
    },
    destroy,
    remove: async (name) => await lives.get(name)?.kill(),
  };
}
