import { startPostgres } from '../../../src/launcher/postgres.ts';

const { url, port } = await startPostgres({ dataDir: process.argv[2] ?? '', log: () => undefined });
console.log(JSON.stringify({ url, port }));
setInterval(() => undefined, 1000);
