// Runs before `npm start` and `npm test`. It installs the packages, and makes sure that there is a suitable Node.
import { findNode, finish, prepare } from './toolchain.mjs';

finish(
  (async () => {
    prepare();
    findNode();
  })(),
);
