#!/usr/bin/env node
// This file uses only syntax that old versions of Node can parse. If the running Node is too old, the program is
// started with the Node that was installed with the package. If there is none, the file prints which version is needed.
const version = process.versions.node.split('.');
if (Number(version[0]) < 22 || (Number(version[0]) === 22 && Number(version[1]) < 17)) {
  const installed = findInstalled();
  if (installed === null) {
    console.error(
      'Node ' + process.version + ' is too old for Interlock. Install Node 22.17 or newer, then try again.',
    );
    process.exit(1);
  }
  runOn(installed);
} else
  import('../dist/programs/cli.js').catch(function (error) {
    console.error(error);
    process.exit(5);
  });

function findInstalled() {
  try {
    return require.resolve('node-' + process.platform + '-' + process.arch + '/bin/node');
  } catch {
    return null;
  }
}

function runOn(node) {
  const child = require('child_process').spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both processes. Other signals arrive only here, and are forwarded.
  process.on('SIGINT', function () {});
  ['SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('error', function (error) {
    console.error(error.message);
    process.exit(5);
  });
  child.on('exit', function (code, signal) {
    process.exit(code === null ? 128 + require('os').constants.signals[signal] : code);
  });
}
