import { searchAttributes, startTemporal } from '../../../src/launcher/temporal.ts';

const options = { namespace: 'interlock', searchAttributes, log: () => undefined };
const { address, uiUrl } = await startTemporal({ ...options, dataDir: process.argv[2] ?? '' });
console.log(JSON.stringify({ address, uiUrl }));
setInterval(() => undefined, 1000);
