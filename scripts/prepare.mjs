// Before `npm start` and `npm test`: the packages are installed and a fitting Node is there.
import { findNode, finish, prepare } from './toolchain.mjs';

finish(
  (async () => {
    prepare();
    findNode();
  })(),
);
