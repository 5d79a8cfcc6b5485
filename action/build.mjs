// Bundles the Action to the one file that GitHub runs. The file is committed, and `npm run check` compares it with the
// sources.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Returns the text of action/dist/index.mjs. */
export async function bundleAction() {
  const { build } = await import('vite');
  const { output } = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(folder, 'src', 'main.ts'),
      target: 'node24',
      write: false,
      minify: false,
      rolldownOptions: {
        // @actions/core contains a client for OpenID Connect, which needs all of undici and is not used here.
        treeshake: { moduleSideEffects: (id) => !id.includes('node_modules') },
        output: { entryFileNames: 'index.mjs', comments: false },
      },
    },
  });
  if (output.length !== 1)
    throw new Error(`The Action must be one file. The bundle has these files: ${output.map((each) => each.fileName)}.`);
  return output[0].code;
}
