#!/usr/bin/env node
// Written so that any Node can read it: an old one is told which Node is needed.
const version = process.versions.node.split('.');
if (Number(version[0]) < 22 || (Number(version[0]) === 22 && Number(version[1]) < 17)) {
  console.error('Node ' + process.version + ' is too old for Interlock. Install Node 22.17 or newer, then try again.');
  process.exit(1);
}
import('../dist/cli/main.js').catch(function (error) {
  console.error(error);
  process.exit(5);
});
