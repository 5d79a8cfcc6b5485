import { lockDataDirectory } from '../../../src/launcher/access.ts';

try {
  await lockDataDirectory(process.argv[2] ?? '');
  console.log(JSON.stringify({ locked: true }));
} catch (error) {
  console.log(JSON.stringify({ locked: false, message: (error as Error).message }));
}
setInterval(() => undefined, 1000);
