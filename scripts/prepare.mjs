// Runs before `npm start` and `npm test`: installs the packages, and makes sure that a suitable Node is installed.
import { findNode, finish, prepare } from './toolchain.mjs';

finish(
  (async () => {
    prepare();
    findNode();
  })(),
);
